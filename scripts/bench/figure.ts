/** A line of a benchmark's table. `budget` is the design's, where it has one. */
export interface Figure {
  name: string;
  value: string;
  budget?: string;
}
