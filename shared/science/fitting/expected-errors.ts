import { inverse, Matrix } from 'ml-matrix';

/**
 * Standard deviation of one shot by amplifier noise, as a fraction of the distance of both states: a rather poor
 * readout.
 */
const AMPLIFIER_NOISE = 1 / 3;
/** Step of a numerical derivative, as a fraction of the value's scale. */
const STEP = 1e-3;

/** The populations that a measurement would find, as a function of the values that it determines. */
export interface PopulationModel {
  /** The current values. */
  values: readonly number[];
  populations(values: readonly number[]): readonly number[];
}

/**
 * Standard errors that a fit would have if each point was measured once, by the Fisher information of the points:
 * projection noise p (1 − p) and that of an amplifier. The fit also determines the signals of both states from the same
 * points. With n shots per point the errors are smaller by √n.
 * @param scales scale of each value, within which the populations are linear
 * @returns an error for each value, as a fraction of its scale; infinite if the points do not determine the values
 */
export function errorsOfOneShot(
  { values, populations }: PopulationModel,
  scales: readonly number[],
): number[] {
  const expected = populations(values);
  const slopes = values.map((value, index) => {
    const step = STEP * (scales[index] ?? Math.abs(value));
    const at = (sign: number) =>
      populations(values.map((other, place) => (place === index ? other + sign * step : other)));
    const [above, below] = [at(1), at(-1)];
    // In units of the scales, so that the matrix is well conditioned.
    return above.map((population, point) => (population - (below[point] ?? 0)) / (2 * STEP));
  });
  const columns = [...slopes, expected, expected.map(() => 1)];
  const weights = expected.map((p) => 1 / (Math.max(0, p * (1 - p)) + AMPLIFIER_NOISE ** 2));
  const information = new Matrix(
    columns.map((one) =>
      columns.map((other) =>
        one.reduce((sum, slope, point) => sum + slope * (other[point] ?? 0) * (weights[point] ?? 0), 0),
      ),
    ),
  );
  const covariance = invertible(information);
  return values.map((_value, index) => {
    const variance = covariance?.get(index, index) ?? Number.POSITIVE_INFINITY;
    return variance > 0 ? Math.sqrt(variance) : Number.POSITIVE_INFINITY;
  });
}

function invertible(matrix: Matrix): Matrix | null {
  try {
    return inverse(matrix);
  } catch {
    // The matrix is singular: the points do not distinguish some of the values.
    return null;
  }
}
