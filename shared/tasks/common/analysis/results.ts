import type { Analysis } from './model.ts';

/** The answer for a dataset in which not even points to draw can be found. */
export function withoutFigures(problem: string): Analysis {
  return { outputs: {}, r2: null, figures: [], refused: problem };
}

/** The r2 of a result that two fits make: that of the worse one. */
export function lowerR2(first: number | null, second: number | null): number | null {
  return first === null || second === null ? null : Math.min(first, second);
}
