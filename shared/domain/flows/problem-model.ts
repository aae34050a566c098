/** A problem of a flow, and its line in the source. */
export interface FlowProblem {
  line: number;
  message: string;
}
