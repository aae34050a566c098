import { type Estimate, estimateText } from '../../../science/fitting/estimate.ts';
import { BEYOND_CHANCE } from '../../../science/fitting/further-parameter.ts';
import { type FittedPoints, fitJudged, type JudgedFit, type JudgedPoints } from './judged-fit.ts';

/** Points in the order in which they were measured, of which each may keep a part of the one before. */
export interface RememberedPoints<Found extends FittedPoints> extends JudgedPoints<Found> {
  /** @param before the point before each of these, of which they keep a part: the last parameter of the fit */
  fitTo(indices: readonly number[], sigma?: readonly number[], before?: readonly number[]): Found;
  /** How much a fit contradicts what else is known of its curve: a sum of squares, each in standard errors. */
  strainOf?(found: Found): number;
}

export interface RememberedFit<Found extends FittedPoints> extends JudgedFit<Found> {
  /** The part of the point before that each point keeps; null if nothing indicates one. */
  memory: Estimate | null;
}

/** A larger part is no small flaw of an instrument. */
const LARGEST_MEMORY = 0.5;
/** So much likelier one in a hundred curves without a memory seems to have one, which only makes its errors larger. */
const LIKELIER = 6;

/**
 * Fits points as they are, and as if each kept a part of the one before, as behind a filter that is too slow. The second fit
 * is taken if it makes the points likelier than chance has it (S. S. Wilks, https://doi.org/10.1214/aoms/1177732360). Its values and errors then allow for the memory.
 */
export function fitRemembered<Found extends FittedPoints>(
  points: RememberedPoints<Found>,
): RememberedFit<Found> {
  const { y, strainOf } = points;
  const plain = fitJudged({ ...points, fitTo: (indices, sigma) => points.fitTo(indices, sigma) });
  if (!plain.found.fit.ok) return { ...plain, memory: null };
  // What the first point may have kept is not known.
  const later = fitJudged({
    ...points,
    y: y.slice(1),
    fitTo: (indices, sigma) =>
      points.fitTo(
        indices.map((index) => index + 1),
        sigma,
        indices.map((index) => y[index] ?? 0),
      ),
  });
  const remembering = { ...later, kept: later.kept.map((index) => index + 1) };
  const memory = memoryOf(remembering, plain, strainOf);
  return memory === null ? { ...plain, memory } : { ...remembering, memory };
}

/**
 * The part of the point before that each point keeps: the last parameter of a fit with a memory. Null if that fit makes the
 * points no likelier than chance has it, or the part is none of a filter.
 */
export function memoryOf<Found extends FittedPoints>(
  remembering: JudgedFit<Found>,
  plain: JudgedFit<Found>,
  strainOf?: (found: Found) => number,
): Estimate | null {
  const { fit } = remembering.found;
  if (!fit.ok) return null;
  const memory = { value: fit.parameters.at(-1) ?? 0, error: fit.errors.at(-1) ?? 0 };
  const isLikelier = likelihoodRatio(remembering, plain, strainOf) > LIKELIER;
  return isLikelier && memory.value > 0 && memory.value < LARGEST_MEMORY ? memory : null;
}

/**
 * Twice the logarithm of how much likelier one fit makes the points than another. Each of them says how noisy the points are,
 * and only points count that both use. Where the likelier fit leaves less than the expected noise, that noise was
 * overestimated, and what it leaves is the measure.
 */
export function likelihoodRatio<Found extends FittedPoints>(
  one: JudgedFit<Found>,
  other: JudgedFit<Found>,
  strainOf: (found: Found) => number = () => 0,
): number {
  const [likelier, reference] = [sumsOf(one, other.kept), sumsOf(other, one.kept)];
  if (likelier === null || reference === null) return 0;
  const quieter = Math.min(1, likelier.squares / Math.max(1, likelier.freedom));
  return (
    (reference.squares - likelier.squares) / quieter +
    (reference.logarithms - likelier.logarithms) +
    (strainOf(other.found) - strainOf(one.found))
  );
}

/** Of the points that are also among others: the sum of squared residuals, and of the logarithms of the variances. */
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

/** What a user should know of a value that allows for a memory, if it is certain that there is one. */
export function memoryNotes(memory: Estimate | null): string[] {
  if (memory === null || memory.value < BEYOND_CHANCE * memory.error) return [];
  const part = estimateText({ value: 100 * memory.value, error: 100 * memory.error }, '%');
  return [
    `Each point keeps ${part} of the one before, which the values allow for at the cost of larger errors: wait longer between points, or widen the filter of the readout.`,
  ];
}
