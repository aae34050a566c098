import { type CurveModel, type Fit, fitCurve } from './least-squares.ts';

/**
 * Filling of a third level: its population, the standard error, and the excited fraction of the rest, for each number
 * of Cliffords.
 */
export interface LeakagePoints {
  counts: readonly number[];
  leaked: readonly number[];
  errors: readonly number[];
  excited: readonly number[];
}

export interface LeakageFit {
  /**
   * Parameters: leakage L, sum of leakage and seepage Λ, error of the leaked population at the prepared ground state
   * and at the excited state.
   */
  fit: Fit;
  /** The leaked population, without the error by wrong positions of the states. */
  evaluate(count: number): number;
  /** Error of each point by wrong positions of the states. */
  offsets: number[];
  /** Residuals of the measured points, in standard errors. */
  residuals: number[];
}

const MIN_LENGTHS = 5;
const CANDIDATES = 60;

/** L (1 − e^(−Λm)) / Λ: the leaked population after m Cliffords. */
function filled(leakage: number, total: number, count: number): number {
  const exponent = total * count;
  return Math.abs(exponent) < 1e-9 ? leakage * count : (leakage * -Math.expm1(-exponent)) / total;
}

/**
 * Fits the filling of a third level (https://doi.org/10.1103/PhysRevA.97.032306). The positions of the prepared states
 * have errors. A leaked population is small, so the effect of these errors on it is fitted together with it.
 *
 * @param placeError standard error of the leaked population caused by the error of one state's position
 */
export function fitLeakage(
  { counts, leaked, errors, excited }: LeakagePoints,
  placeError: number,
): LeakageFit {
  const points = counts.length;
  // The last two values are the known errors of both states.
  const shareOf = (state: 0 | 1, place: number) => {
    if (place >= points) return place - points === state ? 1 : 0;
    const share = excited[place] ?? 0;
    return state === 1 ? share : 1 - share;
  };
  const model: CurveModel = {
    evaluate([leakage = 0, total = 0, atGround = 0, atExcited = 0], place) {
      const curve = place < points ? filled(leakage, total, counts[place] ?? 0) : 0;
      return curve + atGround * shareOf(0, place) + atExcited * shareOf(1, place);
    },
    gradient([leakage = 0, total = 0], place) {
      const count = counts[place] ?? 0;
      const inside = place < points;
      const exponent = total * count;
      const byTotal =
        Math.abs(exponent) < 1e-6
          ? (-leakage * count ** 2) / 2
          : (leakage * (count * Math.exp(-exponent) + Math.expm1(-exponent) / total)) / total;
      return [
        inside ? filled(1, total, count) : 0,
        inside ? byTotal : 0,
        shareOf(0, place),
        shareOf(1, place),
      ];
    },
  };
  const nothing = { evaluate: () => Number.NaN, offsets: [], residuals: [] };
  const longest = Math.max(0, ...counts);
  if (points < MIN_LENGTHS || longest === 0) {
    const message = `${points} lengths, up to ${longest}, are too few to fit how a level fills`;
    return { fit: { ok: false, failure: 'too-little-data', message, r2: null }, ...nothing };
  }
  const sigma = [...errors, placeError, placeError];
  const start = [...startOf({ counts, leaked, errors }, longest), 0, 0];
  const [leakage = 0, total = 1] = start;
  const raw = fitCurve({
    x: sigma.map((_, place) => place),
    y: [...leaked, 0, 0],
    model,
    start,
    scale: [Math.abs(leakage) || 1 / longest, total, placeError, placeError],
    sigma,
  });
  const parameters = raw.ok ? raw.parameters : start;
  const residuals = counts.map(
    (_, place) => ((leaked[place] ?? 0) - model.evaluate(parameters, place)) / (errors[place] ?? 1),
  );
  const offsets = counts.map(
    (_, place) => (parameters[2] ?? 0) * shareOf(0, place) + (parameters[3] ?? 0) * shareOf(1, place),
  );
  const places = parameters.slice(2).map((value) => value / placeError);
  const chiSquare = [...residuals, ...places].reduce((sum, value) => sum + value ** 2, 0) / (points - 2);
  return {
    fit: unshrunk(raw, chiSquare),
    evaluate: (count) => filled(parameters[0] ?? 0, parameters[1] ?? 0, count),
    offsets,
    residuals,
  };
}

/** The deviations are known, so a scatter that is small by chance does not decrease the errors. */
function unshrunk(fit: Fit, chiSquare: number): Fit {
  if (!fit.ok || !(chiSquare < 1)) return fit;
  return {
    ...fit,
    errors: fit.errors.map((error) => error / Math.sqrt(chiSquare)),
    covariance: fit.covariance.map((row) => row.map((value) => value / chiSquare)),
  };
}

/** The best of many sums of both rates. The leakage follows linearly for each. */
function startOf(
  { counts, leaked, errors }: Omit<LeakagePoints, 'excited'>,
  longest: number,
): [number, number] {
  let best: { explained: number; values: [number, number] } = { explained: -1, values: [0, 1 / longest] };
  for (let candidate = 0; candidate < CANDIDATES; candidate++) {
    const total = (0.1 / longest) * 3000 ** (candidate / (CANDIDATES - 1));
    let [squares, products] = [0, 0];
    for (const [place, count] of counts.entries()) {
      const [shape, weight] = [filled(1, total, count), 1 / (errors[place] ?? 1) ** 2];
      squares += weight * shape ** 2;
      products += weight * shape * (leaked[place] ?? 0);
    }
    const explained = products ** 2 / squares;
    if (explained > best.explained) best = { explained, values: [products / squares, total] };
  }
  return best.values;
}
