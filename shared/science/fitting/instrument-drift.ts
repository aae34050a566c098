import { changesBeside } from './change-directions.ts';
import { CURVES_TO_FALSE_ALARM } from './false-alarms.ts';
import type { Fit } from './least-squares.ts';

/** Minimum number of points beyond a change. Closer to an end, the change only moves these points. */
const MIN_BEYOND = 2;

/**
 * Whether the offset or the gain of an instrument changed while a curve was measured. Along the axis of the states,
 * such a change looks like a change of the curve and is hidden in its residuals. The test checks at each point of the
 * sweep whether the following points are shifted and scaled, and for the whole sweep whether both drift. First, the
 * components that the parameters of the curve can explain are removed from each change. The largest change counts if
 * noise alone would rarely cause such a change at any point (a score test, with an F distribution with two degrees of
 * freedom).
 *
 * @param fitted values of the curve at the points, in the order in which they were measured; further rows of the fit
 * stand for what is known from elsewhere
 */
export function changeOfInstrument(fit: Fit, fitted: readonly number[]): string | null {
  if (!fit.ok) return null;
  const { slopes, residuals, sigma } = fit.whitened;
  const [rows, count] = [residuals.length, fitted.length];
  // A fixed parameter has no slopes.
  const free = fit.errors.flatMap((error, index) => (error > 0 ? [index] : []));
  const freedom = rows - free.length;
  if (freedom < 5) return null;
  const explained = slopes.map((row) => free.map((index) => row[index] ?? 0));
  const total = Math.max(
    residuals.reduce((sum, value) => sum + value ** 2, 0),
    // Residuals far below the expected noise, as of noise-free data, are no evidence of a change.
    freedom,
  );
  const changes = changesBeside({
    explained,
    residuals,
    weights: fitted.map((_, index) => 1 / (sigma[index] ?? 1)),
    fitted,
  });
  /** Probability that noise causes a change of this course that is at least as large as the observed one. */
  const chanceOf = (size: number) => (1 - Math.min(total, size) / total) ** ((freedom - 2) / 2);
  const places = Array.from(
    { length: Math.max(0, count - 2 * MIN_BEYOND + 1) },
    (_, index) => index + MIN_BEYOND,
  );
  const rare = 1 / CURVES_TO_FALSE_ALARM / (places.length + 1);
  if (chanceOf(changes.ofCourse((index) => index / count)) < rare) {
    return 'the model does not describe the data: the signal or its gain drifts along the sweep';
  }
  const steps = changes.ofSteps();
  const chances = places.map((place) => chanceOf(steps[place] ?? 0));
  const least = Math.min(...chances);
  if (!(least < rare)) return null;
  const place = places[chances.indexOf(least)] ?? 0;
  return `the model does not describe the data: the signal or its gain changes at point ${place + 1} of ${count}`;
}
