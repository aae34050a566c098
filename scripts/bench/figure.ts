/** A line of a benchmark's table. `budget` is the target value of the design, if there is one. */
export interface Figure {
  name: string;
  value: string;
  budget?: string;
}
