import { inverse, Matrix, SVD } from 'ml-matrix';
import type { Dataset } from '../../../science/datasets/model.ts';
import { datasetProblem } from '../../../science/datasets/rules.ts';
import type { Estimate } from '../../../science/fitting/estimate.ts';

/** Outcomes of a pair, the control first. */
export const OUTCOMES = ['00', '01', '10', '11'] as const;

/** Smallest singular value of the confusion matrix; below it the prepared states are indistinguishable. */
const SMALLEST_DISTINCTION = 0.1;

/** A term of an expectation value that is linear in the outcomes of one measurement. */
export interface OutcomeSum {
  /** Weight of each state 00, 01, 10, 11. */
  weights: readonly number[];
  /** Number of shots with each outcome. */
  counts: readonly number[];
}

/** Readout of a pair's four states, as measured on prepared ones. */
export interface PairReadout {
  /** Populations of the four states, corrected for readout errors; noise may make them slightly negative. */
  populations(counts: readonly number[]): number[];
  /** A sum over measurements with its standard error from the shots and from the prepared states. */
  estimate(sums: readonly OutcomeSum[]): Estimate;
  /** A sum over the states of a mixed state, with the error from the prepared states only. */
  ofMixedState(weights: readonly number[]): Estimate;
}

/** Number of shots of a mixed state without noise of its own. */
const ENDLESS_SHOTS = 1e15;

/** The values of `name` in rows of four; undefined if its last dimension is not `outcome`. */
export function readCounts(dataset: Dataset, name: string): (number[] | null)[] | undefined {
  const variable = Object.hasOwn(dataset.variables, name) ? dataset.variables[name] : undefined;
  if (variable === undefined || variable.dims.at(-1) !== 'outcome') return undefined;
  if (dataset.dims.outcome !== OUTCOMES.length) return undefined;
  return Array.from({ length: variable.values.length / OUTCOMES.length }, (_, row) => {
    const counts = variable.values
      .slice(row * OUTCOMES.length, (row + 1) * OUTCOMES.length)
      .flatMap((count) => (count !== null && Number.isFinite(count) && count >= 0 ? [count] : []));
    return counts.length === OUTCOMES.length && total(counts) > 0 ? counts : null;
  });
}

export function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * Reads `reference_counts` over `prepared` and `outcome`.
 * @returns a message if the prepared states are missing or indistinguishable
 */
export function readPairReadout(dataset: Dataset): PairReadout | string {
  const problem = datasetProblem(dataset);
  if (problem !== null) return problem;
  const rows = readCounts(dataset, 'reference_counts') ?? [];
  const prepared = rows.flatMap((counts) => (counts === null ? [] : [counts]));
  if (rows.length !== OUTCOMES.length || prepared.length !== OUTCOMES.length) {
    return 'the dataset has no reference_counts of the four prepared states over prepared and outcome';
  }
  // Column j: the readout of the prepared state j.
  const confusion = new Matrix(
    prepared.map((counts) => counts.map((count) => count / total(counts))),
  ).transpose();
  const distinction = Math.min(...new SVD(confusion).diagonal);
  if (!(distinction > SMALLEST_DISTINCTION)) {
    return 'the readout does not distinguish the four prepared states';
  }
  const back = inverse(confusion);
  const populations = (counts: readonly number[]) => {
    const seen = Matrix.columnVector(counts.map((count) => count / total(counts)));
    return back.mmul(seen).to1DArray();
  };
  const estimate = (sums: readonly OutcomeSum[]): Estimate => {
    let [value, variance] = [0, 0];
    const byReference = Matrix.zeros(OUTCOMES.length, OUTCOMES.length);
    for (const { weights, counts } of sums) {
      const shots = total(counts);
      const ofOutcome = Matrix.rowVector([...weights])
        .mmul(back)
        .to1DArray();
      const states = populations(counts);
      value += states.reduce((sum, population, state) => sum + population * (weights[state] ?? 0), 0);
      variance += multinomialVariance(
        ofOutcome,
        counts.map((count) => count / shots),
        shots,
      );
      byReference.add(Matrix.columnVector(ofOutcome).mmul(Matrix.rowVector(states)));
    }
    for (const [state, counts] of prepared.entries()) {
      const seen = confusion.getColumn(state);
      variance += multinomialVariance(byReference.getColumn(state), seen, total(counts));
    }
    return { value, error: Math.sqrt(variance) };
  };
  return {
    populations,
    estimate,
    ofMixedState(weights) {
      const seen = confusion.mmul(Matrix.columnVector(OUTCOMES.map(() => 1 / OUTCOMES.length))).to1DArray();
      return estimate([{ weights, counts: seen.map((share) => ENDLESS_SHOTS * share) }]);
    },
  };
}

/** Variance of a weighted sum of outcome frequencies. */
function multinomialVariance(weights: readonly number[], shares: readonly number[], shots: number): number {
  const [first, second] = shares.reduce(
    ([sum, squares], share, outcome) => {
      const weight = weights[outcome] ?? 0;
      return [sum + share * weight, squares + share * weight ** 2];
    },
    [0, 0],
  );
  return Math.max(0, second - first ** 2) / shots;
}
