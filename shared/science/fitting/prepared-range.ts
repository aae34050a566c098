import { CURVES_TO_FALSE_ALARM, deviationsFor } from './false-alarms.ts';
import type { Fit } from './least-squares.ts';
import type { PopulationScale } from './population-scale.ts';

/**
 * Whether a fitted polarisation (1 in the prepared ground state, −1 in the prepared excited state) is beyond the
 * prepared states. No pulse makes a qubit purer than its initial state, so the instrument has changed. A curve with
 * many parameters follows such a change, so no other test finds it.
 */
export function beyondPreparedStates(
  fit: Fit,
  fitted: readonly number[],
  { repetitions }: Pick<PopulationScale, 'repetitions'>,
): string | null {
  if (!fit.ok) return null;
  const { covariance, whitened } = fit;
  const reach = deviationsFor(2 / CURVES_TO_FALSE_ALARM / (2 * fitted.length));
  for (const [index, value] of fitted.entries()) {
    const sigma = whitened.sigma[index] ?? Number.NaN;
    const slopes = (whitened.slopes[index] ?? []).map((slope) => slope * sigma);
    const variance = slopes.reduce(
      (sum, slope, row) =>
        sum +
        slope * slopes.reduce((part, other, column) => part + other * (covariance[row]?.[column] ?? 0), 0),
      0,
    );
    // A prepared state is measured with the noise of a point at its position: amplifier noise and projection noise.
    const place = sigma / Math.sqrt(value > 0 ? repetitions.ground : repetitions.excited);
    const error = Math.sqrt(variance + place ** 2);
    if (Math.abs(value) - 1 > reach * error) {
      const state = value > 0 ? 'ground' : 'excited';
      return `the signal is beyond the prepared ${state} state: its polarisation would be ${value.toFixed(3)}, known to ${error.toPrecision(2)}; the offset or the gain of the instrument changed`;
    }
  }
  return null;
}
