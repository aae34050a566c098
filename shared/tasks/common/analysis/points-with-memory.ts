import { type Estimate, estimateText } from '../../../science/fitting/estimate.ts';
import { BEYOND_CHANCE } from '../../../science/fitting/further-parameter.ts';
import { averageFits, weightOfSecond } from '../../../science/fitting/model-average.ts';
import { withoutCurveBias } from '../../../science/fitting/point-memory.ts';
import { type FittedPoints, fitJudged, type JudgedFit, type JudgedPoints } from './judged-fit.ts';

/** Points in the order in which they were measured. Each may retain a fraction of the previous one (a memory). */
export interface PointsWithMemory<Found extends FittedPoints> extends JudgedPoints<Found> {
  /** @param before the point before each of these, of which they retain a fraction: the last parameter of the fit */
  fitTo(indices: readonly number[], sigma?: readonly number[], before?: readonly number[]): Found;
  /** Whether a point starts another sweep; by default only the first one does. */
  isFirst?(index: number): boolean;
  /** Contradiction of a fit to other knowledge about its curve: a sum of squares, each in standard errors. */
  contradictionOf?(found: Found): number;
}

export interface FitWithMemory<Found extends FittedPoints> extends JudgedFit<Found> {
  /** The fraction of the previous point that each point retains; null if no memory is more likely. */
  memory: Estimate | null;
  /** The weight of the fit with a memory. */
  weight: number;
}

/** Maximum memory. A larger one is not a small flaw of an instrument. */
const LARGEST_MEMORY = 0.5;
/**
 * Likelihood ratio (twice its logarithm) that one in a hundred curves without a memory exceeds by chance, which only
 * makes its errors larger (S. S. Wilks, https://doi.org/10.1214/aoms/1177732360).
 */
const LIKELIER = 6;

/** Fits points without and with a memory; see {@link averageMemory}. */
export function fitAllowingMemory<Found extends FittedPoints>(
  points: PointsWithMemory<Found>,
): FitWithMemory<Found> {
  return averageMemory(fitWithoutMemory(points), fitKeepingMemory(points), points.contradictionOf);
}

/** Fits points without a memory. */
export function fitWithoutMemory<Found extends FittedPoints>(
  points: PointsWithMemory<Found>,
): JudgedFit<Found> {
  return fitJudged({ ...points, fitTo: (indices, sigma) => points.fitTo(indices, sigma) });
}

/**
 * Fits points with a memory, which is the last parameter. The first point of a sweep is not fitted. If the second point is
 * left out as an outlier and the first one is like it, neither is a single outlier, and the fit has a problem.
 */
export function fitKeepingMemory<Found extends FittedPoints>(
  points: PointsWithMemory<Found>,
): JudgedFit<Found> {
  const { y, isFirst = () => false } = points;
  // The value before the first point of a sweep is unknown.
  const later = [...y.keys()].filter((index) => index > 0 && !isFirst(index));
  const at = (places: readonly number[], offset: number) =>
    places.map((place) => (later[place] ?? 0) + offset);
  const found = fitJudged({
    ...points,
    y: later.map((index) => y[index] ?? 0),
    fitTo: (places, sigma) =>
      points.fitTo(
        at(places, 0),
        sigma,
        at(places, -1).map((index) => y[index] ?? 0),
      ),
  });
  const kept = at(found.kept, 0);
  const { judgement } = found;
  if (judgement === null || !startsElsewhere(points, kept)) return { ...found, kept };
  const problem = judgement.problem ?? 'the first points of the sweep lie apart from those that follow';
  return { ...found, kept, judgement: { ...judgement, problem } };
}

/** Whether the first two points of a sweep are alike, and the second one lies apart from the curve of those that follow. */
function startsElsewhere<Found extends FittedPoints>(
  { y, isFirst = () => false }: PointsWithMemory<Found>,
  kept: readonly number[],
): boolean {
  const used = new Set(kept);
  const apart = (one: number, other: number) => Math.abs((y[one] ?? 0) - (y[other] ?? 0));
  return [...y.keys()].some(
    (first) =>
      (first === 0 || isFirst(first)) &&
      first + 2 < y.length &&
      !used.has(first + 1) &&
      apart(first, first + 1) < apart(first + 1, first + 2) / 3,
  );
}

/**
 * The mean of the fits without and with a memory, such as that of a filter that is too slow, weighted by their
 * likelihoods. A memory can shift the curve of a few points by more than its error without being detectable, so a
 * choice between the two fits would be wrong too often.
 *
 * @param contradictionOf contradiction of a fit to other knowledge about its curve: a sum of squares, each in standard errors
 */
export function averageMemory<Found extends FittedPoints, Judged extends JudgedFit<Found>>(
  plain: Judged,
  keeping: Judged,
  contradictionOf?: (found: Found) => number,
): Judged & Pick<FitWithMemory<Found>, 'memory' | 'weight'> {
  const [without, within] = [plain.found.fit, withoutCurveBias(keeping.found.fit)];
  const forgotten = { ...plain, memory: null, weight: 0 };
  if (!without.ok || !within.ok) return forgotten;
  const memory = { value: within.parameters.at(-1) ?? 0, error: within.errors.at(-1) ?? 0 };
  if (!(memory.value > 0 && memory.value < LARGEST_MEMORY)) return forgotten;
  const ratio = likelihoodRatio(keeping, plain, contradictionOf);
  const weight = weightOfSecond(ratio, 1);
  const fit = averageFits(without, within, weight);
  if (fit === null && ratio < LIKELIER) return forgotten;
  if (fit === null) return { ...keeping, found: { ...keeping.found, fit: within }, memory, weight: 1 };
  const own = weight > 0.5 ? { ...keeping, memory, weight } : { ...plain, memory: null, weight };
  return { ...own, found: { ...own.found, fit } };
}

/**
 * Twice the logarithm of the likelihood ratio of two fits. Each fit has its own estimate of the noise, and only points
 * that both use count. If the residuals of the likelier fit are smaller than the expected noise, that noise was
 * overestimated, and the residuals determine it instead.
 */
export function likelihoodRatio<Found extends FittedPoints>(
  one: JudgedFit<Found>,
  other: JudgedFit<Found>,
  contradictionOf: (found: Found) => number = () => 0,
): number {
  const [likelier, reference] = [sumsOf(one, other.kept), sumsOf(other, one.kept)];
  if (likelier === null || reference === null) return 0;
  const quieter = Math.min(1, likelier.squares / Math.max(1, likelier.freedom));
  return (
    (reference.squares - likelier.squares) / quieter +
    (reference.logarithms - likelier.logarithms) +
    (contradictionOf(other.found) - contradictionOf(one.found))
  );
}

/** For the points that are also among `others`: the sum of squared residuals, and of the logarithms of the variances. */
function sumsOf({ found: { fit }, kept }: JudgedFit<FittedPoints>, others: readonly number[]) {
  if (!fit.ok) return null;
  const { residuals, sigma } = fit.whitened;
  const shared = new Set(others);
  const places = [...kept.keys()].filter((place) => shared.has(kept[place] ?? -1));
  const sum = (of: (place: number) => number) => places.reduce((total, place) => total + of(place), 0);
  return {
    squares: sum((place) => (residuals[place] ?? 0) ** 2),
    logarithms: sum((place) => 2 * Math.log(sigma[place] ?? 1)),
    freedom: places.length - fit.parameters.length,
  };
}

/** A note for the user about a value that takes a memory into account, if it is certain that there is one. */
export function memoryNotes(memory: Estimate | null): string[] {
  if (memory === null || memory.value < BEYOND_CHANCE * memory.error) return [];
  const part = estimateText({ value: 100 * memory.value, error: 100 * memory.error }, '%');
  return [
    `Each point retains ${part} of the previous one, which the values take into account at the cost of larger errors: wait longer between points, or widen the filter of the readout.`,
  ];
}
