import type { ResolvedParameter } from '../../model.ts';
import type { Analysis } from './model.ts';

/** The number that a parameter holds, if it is one. */
export function numberOf(parameter: ResolvedParameter | undefined): number | undefined {
  return typeof parameter?.value === 'number' && Number.isFinite(parameter.value)
    ? parameter.value
    : undefined;
}

/** Name of a fit in a figure's legend, with its quality: `damped fit, r² = 0.9987`. */
export function fitName(r2: number, damped = false): string {
  return `${damped ? 'damped fit' : 'fit'}, r² = ${r2.toFixed(4)}`;
}

/** The answer for a dataset in which not even points to draw can be found. */
export function withoutFigures(problem: string): Analysis {
  return { outputs: {}, r2: null, figures: [], refused: problem };
}
