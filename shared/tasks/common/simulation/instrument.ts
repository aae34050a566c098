import { Matrix, solve } from 'ml-matrix';
import type { Dataset } from '../../../science/datasets/model.ts';

/**
 * What an instrument works out by itself while it measures, where one sweep follows from what the one before has shown.
 * It is simpler than the analyses and shares no code with them: a mistake of theirs must not make data that suit it.
 */

/** States that lie closer than this many standard errors of their places cannot be told apart. */
const SMALLEST_DISTANCE = 10;

/** Reads signals as excited-state population. */
export type ReadPopulation = (re: number, im: number) => number;

/** Mean, and deviation of a single value. */
export function seenSpread(values: readonly number[]): { mean: number; deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt(squares / (values.length - 1)) };
}

/**
 * The scale between both prepared states of `<prefix>reference_re` and `_im`, which stand in two halves, the ground state
 * first. Null where the instrument cannot tell them apart.
 */
export function seenScale(references: Dataset, prefix = ''): ReadPopulation | null {
  const halves = ['re', 'im'].map((part) => {
    const values = references.variables[`${prefix}reference_${part}`]?.values.map(Number) ?? [];
    return [values.slice(0, values.length / 2), values.slice(values.length / 2)] as const;
  });
  const [[groundRe = [], excitedRe = []] = [], [groundIm = [], excitedIm = []] = []] = halves;
  const from = { re: seenSpread(groundRe).mean, im: seenSpread(groundIm).mean };
  const axis = { re: seenSpread(excitedRe).mean - from.re, im: seenSpread(excitedIm).mean - from.im };
  const square = axis.re ** 2 + axis.im ** 2;
  const population = (re: number, im: number) =>
    ((re - from.re) * axis.re + (im - from.im) * axis.im) / square;
  const scatter = (re: readonly number[], im: readonly number[]) =>
    seenSpread(re.map((value, index) => population(value, im[index] ?? 0))).deviation / Math.sqrt(re.length);
  const error = Math.hypot(scatter(groundRe, groundIm), scatter(excitedRe, excitedIm));
  return SMALLEST_DISTANCE * error < 1 ? population : null;
}

/** Weights of basis functions that add up to the values best; null where they cannot be told. */
function weightsOf(
  x: readonly number[],
  y: readonly number[],
  basis: readonly ((x: number) => number)[],
): number[] | null {
  const design = new Matrix(x.map((value) => basis.map((each) => each(value))));
  const transposed = design.transpose();
  try {
    const found = solve(transposed.mmul(design), transposed.mmul(Matrix.columnVector([...y]))).to1DArray();
    return found.every(Number.isFinite) ? found : null;
  } catch {
    // Values at too few places.
    return null;
  }
}

/** Parts of the expected period at which an oscillation is looked for. */
const PERIOD_FACTORS = Array.from({ length: 21 }, (_, index) => 0.8 + 0.02 * index);

/** The place next to the middle of a sweep at which an oscillation of about this period is largest. */
export function seenMaximum(x: readonly number[], y: readonly number[], expected: number): number | null {
  const middle = seenSpread(x).mean;
  let best = { residual: Number.POSITIVE_INFINITY, place: middle };
  for (const factor of PERIOD_FACTORS) {
    const period = factor * expected;
    const basis = [
      () => 1,
      (value: number) => Math.cos((2 * Math.PI * (value - middle)) / period),
      (value: number) => Math.sin((2 * Math.PI * (value - middle)) / period),
    ];
    const weights = weightsOf(x, y, basis);
    if (weights === null) continue;
    const residual = x.reduce((sum, value, index) => {
      const seen = basis.reduce((total, each, term) => total + each(value) * (weights[term] ?? 0), 0);
      return sum + ((y[index] ?? 0) - seen) ** 2;
    }, 0);
    const [, cosine = 0, sine = 0] = weights;
    const place = middle + (Math.atan2(sine, cosine) / (2 * Math.PI)) * period;
    if (residual < best.residual) best = { residual, place };
  }
  return Number.isFinite(best.residual) ? best.place : null;
}

/** Newton's steps from the middle of a sweep to where a cubic passes zero. */
const ROOT_STEPS = 20;

/** Where a sweep that goes through zero once, as a cubic near enough, does so. */
export function seenRoot(x: readonly number[], y: readonly number[]): number | null {
  const middle = seenSpread(x).mean;
  const weights = weightsOf(
    x.map((value) => value - middle),
    y,
    [0, 1, 2, 3].map((power) => (value) => value ** power),
  );
  if (weights === null) return null;
  const [a = 0, b = 0, c = 0, d = 0] = weights;
  let root = 0;
  for (let step = 0; step < ROOT_STEPS; step++) {
    root -= (a + root * (b + root * (c + root * d))) / (b + root * (2 * c + root * 3 * d));
  }
  return Number.isFinite(root) ? middle + root : null;
}
