import type { Analysis } from './model.ts';

/** The result for a dataset without any points to draw. */
export function withoutFigures(problem: string): Analysis {
  return { outputs: {}, r2: null, figures: [], refused: problem };
}

/** The r2 of a result based on two fits: the lower one. */
export function lowerR2(first: number | null, second: number | null): number | null {
  return first === null || second === null ? null : Math.min(first, second);
}
