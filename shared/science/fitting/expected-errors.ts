import { inverse, Matrix } from 'ml-matrix';

/** Deviation of one shot by the amplifier, as a part of the distance of both states: a readout at the lower end of what is in use. */
const AMPLIFIER_NOISE = 1 / 3;
/** Step of a derivative, as a part of the scale of its value. */
const STEP = 1e-3;

/** Populations that a measurement would have, as a function of the values that it determines. */
export interface PopulationModel {
  /** The values as they are believed. */
  values: readonly number[];
  populations(values: readonly number[]): readonly number[];
}

/**
 * Standard errors that a fit would have if each point was measured once, by the Fisher information of the points:
 * projection noise p (1 − p) and that of an amplifier. The fit also determines where both states lie, from the same points. With
 * n shots a point the errors are smaller by √n.
 * @param scales by how much each value changes, within which the populations are linear
 * @returns an error for each value, as a part of its scale; infinite ones if the points do not determine the values
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
    // In parts of the scales, so that the matrix is well conditioned.
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
    // It is singular: the points do not tell some of the values apart.
    return null;
  }
}
