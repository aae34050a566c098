/** The signals of the two states of a qubit, on one axis of the IQ plane. */
export interface StateLevels {
  ground: number;
  excited: number;
}

/** The levels of a qubit's polarisation: 1 in the ground state, −1 in the excited state. */
export const POLARISATION_LEVELS: StateLevels = { ground: 1, excited: -1 };

/** Minimum impurity of a state by thermal excitation and decay, so projection noise is never zero. */
const PUREST = 0.02;
/**
 * Limits the weights: no point may count more than a hundred times another, however little noise the model predicts.
 */
const SMALLEST_RELATIVE_DEVIATION = 0.1;

/**
 * Standard deviation of averaged signals along the axis between two states: the noise of the amplifier, which is
 * measured across that axis, and the projection noise of a qubit with excited population p, σ² = σ_across² + d² p (1 −
 * p) / shots. Near p = ½ the second term is by far the larger one, so a fit without it would have errors that are too
 * small (a test checks their coverage).
 *
 * @param expected fitted signals along the axis
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
