/** The two ends between which the signal of a qubit lies, on one axis of the IQ plane. */
export interface StateLevels {
  ground: number;
  excited: number;
}

/** A qubit's polarisation: 1 in the ground state, −1 in the excited one. */
export const POLARISATION_LEVELS: StateLevels = { ground: 1, excited: -1 };

/** Heat and decay leave no state purer than this, so its projection noise is never none. */
const PUREST = 0.02;
/** No point may count more than a hundred times another, however little noise the model predicts. */
const SMALLEST_RELATIVE_DEVIATION = 0.1;

/**
 * Standard deviation of averaged signals along the axis between two states: the noise of the amplifier, which is seen
 * across that axis, and the projection noise of a qubit found excited with probability p,
 * σ² = σ_across² + d² p (1 − p) / shots. Where p is near a half the second part is by far the larger, so a fit that
 * ignored it would claim errors too small (tested by coverage).
 *
 * @param expected signals as fitted, along the axis
 * @param across standard deviation of one averaged point across the axis, in the same unit
 * @returns a deviation for each signal; undefined if nothing distinguishes the points
 */
export function signalDeviations(
  expected: readonly number[],
  levels: StateLevels,
  across: number,
  shots: number | undefined,
): number[] | undefined {
  const distance = levels.excited - levels.ground;
  if (shots === undefined || !(shots > 0) || !(Math.abs(distance) > 0) || !Number.isFinite(across))
    return undefined;
  const deviations = expected.map((signal) => {
    const excited = Math.min(1 - PUREST, Math.max(PUREST, (signal - levels.ground) / distance));
    return Math.sqrt(across ** 2 + (distance ** 2 * excited * (1 - excited)) / shots);
  });
  const largest = Math.max(...deviations);
  if (!(largest > 0) || !Number.isFinite(largest)) return undefined;
  return deviations.map((deviation) => Math.max(deviation, SMALLEST_RELATIVE_DEVIATION * largest));
}
