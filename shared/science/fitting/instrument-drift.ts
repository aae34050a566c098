import { changesBeside } from './change-directions.ts';
import { CURVES_TO_FALSE_ALARM } from './false-alarms.ts';
import type { Fit } from './least-squares.ts';

/** Minimum number of points beyond a change. Closer to an end, the change only moves these points. */
const MIN_BEYOND = 2;

/**
 * Whether the signal or the gain of an instrument changed while a curve was measured. Along the axis of the states, that
 * looks like a change of the curve, and hides in its residuals. The test asks for each place of the sweep whether what
 * follows is shifted and scaled, and for the whole sweep whether both drift. The parts of a change that the parameters of
 * the curve explain are removed first, and the largest change counts if noise alone would rarely cause
 * one as large at any place (a score test, as F with two degrees of freedom).
 *
 * @param fitted values of the curve at the points, in the order in which they were measured; further rows of the fit
 * stand for what is known from elsewhere
 */
export function changeOfInstrument(fit: Fit, fitted: readonly number[]): string | null {
  if (!fit.ok) return null;
  const { slopes, residuals, sigma } = fit.whitened;
  const [rows, count] = [residuals.length, fitted.length];
  // A parameter that was held has no slopes.
  const free = fit.errors.flatMap((error, index) => (error > 0 ? [index] : []));
  const freedom = rows - free.length;
  if (freedom < 5) return null;
  const explained = slopes.map((row) => free.map((index) => row[index] ?? 0));
  const total = Math.max(
    residuals.reduce((sum, value) => sum + value ** 2, 0),
    // What a model leaves far below the noise that is expected, as of data without any, is no change of the instrument.
    freedom,
  );
  const changes = changesBeside({
    explained,
    residuals,
    weights: fitted.map((_, index) => 1 / (sigma[index] ?? 1)),
    fitted,
  });
  /** Chance that noise makes a change of this course as large as it is seen. */
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
