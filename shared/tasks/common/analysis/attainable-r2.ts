/**
 * Minimum variance explained by a signal, in variances of a point. Such a signal is not due to chance anywhere in a
 * sweep.
 */
const CERTAIN = 50;

/** A fit and the quality of its model. */
interface FitQuality {
  r2: number | null;
  /** Mean square of the residuals in units of the expected noise. */
  chiSquare: number;
  points: number;
  parameters: number;
}

/**
 * The threshold of r2 at the noise of the data. Even a perfect model has an r2 below 1 because of noise, and that of a
 * narrow line in a long sweep is low although the line is certain. The task's threshold is therefore multiplied by the
 * attainable r2. A misfit is still detected, because residuals beyond the noise lower r2 but not the attainable r2.
 *
 * @returns undefined if the signal is not certainly above the noise, or the task has no threshold; the task's own
 * threshold then applies
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
