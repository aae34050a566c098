import { Matrix, solve } from 'ml-matrix';
import type { Dataset } from '../../../science/datasets/model.ts';

/**
 * Evaluations that an instrument makes while it measures, if one sweep depends on the result of the previous one. They
 * are simpler than the analyses and share no code with them, so that a mistake in an analysis cannot produce data that
 * hide it.
 */

/** States that are closer than this many standard errors of their positions are indistinguishable. */
const SMALLEST_DISTANCE = 10;

/** Converts signals to excited-state population. */
export type ReadPopulation = (re: number, im: number) => number;

/** Mean of some values, and the standard deviation of one of them. */
export function meanAndDeviation(values: readonly number[]): { mean: number; deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt(squares / (values.length - 1)) };
}

/**
 * Converts signals to populations by the signals of both prepared states. `references` contains these as
 * `<prefix>reference_re` and `_im`, in two halves, the ground state first. Null if the states cannot be distinguished.
 */
export function populationScale(references: Dataset, prefix = ''): ReadPopulation | null {
  const halves = ['re', 'im'].map((part) => {
    const values = references.variables[`${prefix}reference_${part}`]?.values.map(Number) ?? [];
    return [values.slice(0, values.length / 2), values.slice(values.length / 2)] as const;
  });
  const [[groundRe = [], excitedRe = []] = [], [groundIm = [], excitedIm = []] = []] = halves;
  const from = { re: meanAndDeviation(groundRe).mean, im: meanAndDeviation(groundIm).mean };
  const axis = {
    re: meanAndDeviation(excitedRe).mean - from.re,
    im: meanAndDeviation(excitedIm).mean - from.im,
  };
  const square = axis.re ** 2 + axis.im ** 2;
  const population = (re: number, im: number) =>
    ((re - from.re) * axis.re + (im - from.im) * axis.im) / square;
  const scatter = (re: readonly number[], im: readonly number[]) =>
    meanAndDeviation(re.map((value, index) => population(value, im[index] ?? 0))).deviation /
    Math.sqrt(re.length);
  const error = Math.hypot(scatter(groundRe, groundIm), scatter(excitedRe, excitedIm));
  return SMALLEST_DISTANCE * error < 1 ? population : null;
}

/** Least-squares weights of basis functions; null if they cannot be determined. */
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
    // There are values at too few positions.
    return null;
  }
}

/** Range of periods, relative to the expected one, in which an oscillation is searched. */
const PERIOD_FACTORS = Array.from({ length: 21 }, (_, index) => 0.8 + 0.02 * index);

/** The position nearest to the middle of a sweep at which an oscillation of about this period has a maximum. */
export function estimateMaximum(x: readonly number[], y: readonly number[], expected: number): number | null {
  const middle = meanAndDeviation(x).mean;
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

/** Number of Newton steps from the middle of a sweep to the zero of a cubic. */
const ROOT_STEPS = 20;

/** Position of the single zero of a sweep, approximated by a cubic. */
export function estimateRoot(x: readonly number[], y: readonly number[]): number | null {
  const middle = meanAndDeviation(x).mean;
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
