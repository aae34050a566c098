/** What is wrong with a flow, and on which line of its source. */
export interface FlowProblem {
  line: number;
  message: string;
}
