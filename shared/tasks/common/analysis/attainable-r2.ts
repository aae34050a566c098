/** A signal that explains at least this many times the variance of a point is not due to chance, wherever a fit finds it. */
const CERTAIN = 50;

/** A fit and the judgement of its model. */
interface FitQuality {
  r2: number | null;
  /** Mean square of the residuals in units of the expected noise. */
  chiSquare: number;
  points: number;
  parameters: number;
}

/**
 * The threshold of r2 at the noise of the data. A model that leaves nothing but noise reaches an r2 below 1: that of a narrow
 * line in a long sweep is low although the line is certain. So a task's threshold applies to the part of that which was
 * reached. A misfit counts as before: what it leaves beyond the noise lowers r2 and not what is attainable.
 *
 * @returns undefined if the signal does not stand out with certainty, or the task has no threshold: the task's own applies
 */
export function thresholdAtNoise(
  threshold: number | null,
  { r2, chiSquare, points, parameters }: FitQuality,
): number | undefined {
  if (threshold === null || r2 === null || !(r2 < 1)) return undefined;
  const left = (1 - r2) / Math.max(1, chiSquare);
  const explained = (r2 / (1 - r2)) * (points - parameters);
  return explained > CERTAIN ? threshold * (1 - left) : undefined;
}
