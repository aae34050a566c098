import { cosineStart } from './cosine.ts';
import { type CurveModel, type Fit, fitCurve } from './least-squares.ts';

/**
 * y = A cos(w (x − m) + s) + A w sin(s) (x − m) + b: a cosine on a slope, parametrized so that m is an extremum for any
 * slope A w sin(s). Parameters in the order A, w, m, s, b.
 */
const cosineOnSlope: CurveModel = {
  evaluate([amplitude = 0, rate = 0, extremum = 0, skew = 0, offset = 0], x) {
    const distance = x - extremum;
    return amplitude * (Math.cos(rate * distance + skew) + rate * Math.sin(skew) * distance) + offset;
  },
  gradient([amplitude = 0, rate = 0, extremum = 0, skew = 0], x) {
    const distance = x - extremum;
    const [cosine, sine] = [Math.cos(rate * distance + skew), Math.sin(rate * distance + skew)];
    const slope = rate * Math.sin(skew);
    return [
      cosine + slope * distance,
      amplitude * distance * (Math.sin(skew) - sine),
      amplitude * (rate * sine - slope),
      amplitude * (rate * Math.cos(skew) * distance - sine),
      1,
    ];
  },
};

/** The same curve without the slope. Parameters in the order A, w, m, b. */
const cosineAlone: CurveModel = {
  evaluate: ([amplitude = 0, rate = 0, extremum = 0, offset = 0], x) =>
    cosineOnSlope.evaluate([amplitude, rate, extremum, 0, offset], x),
  gradient: ([amplitude = 0, rate = 0, extremum = 0, offset = 0], x) => {
    const derivatives = cosineOnSlope.gradient([amplitude, rate, extremum, 0, offset], x);
    return derivatives.filter((_, index) => index !== 3);
  },
};

/** Adds the zero slope to the parameters. */
function withoutSlope(fit: Fit): Fit {
  if (!fit.ok) return fit;
  const insert = (values: readonly number[]) => [...values.slice(0, 3), 0, ...values.slice(3)];
  const covariance = fit.covariance.map(insert);
  covariance.splice(3, 0, [0, 0, 0, 0, 0]);
  const whitened = { ...fit.whitened, slopes: fit.whitened.slopes.map(insert) };
  return { ...fit, parameters: insert(fit.parameters), errors: insert(fit.errors), covariance, whitened };
}

export interface ExtremumFit {
  /** Parameter 2 is the position of the maximum. */
  fit: Fit;
  evaluate(x: number): number;
}

/**
 * Fits a cosine on a slope to y(x), and finds the maximum nearest to `near`. Parameters in the order amplitude > 0,
 * rate (radians per unit of x), position of the maximum, skew, offset.
 */
export function fitMaximum(
  x: readonly number[],
  y: readonly number[],
  near: number,
  sigma?: readonly number[],
): ExtremumFit {
  const start = x.length < 7 ? undefined : cosineStart(x, y);
  if (start === undefined) {
    const message = x.length < 7 ? `${x.length} points are too few to fit a maximum` : 'the data do not vary';
    return { fit: { ok: false, failure: 'too-little-data', message, r2: null }, evaluate: () => Number.NaN };
  }
  const [amplitude = 0, frequency = 0, phase = 0, offset = 0] = start;
  const rate = 2 * Math.PI * frequency;
  const turns = Math.round((rate * near + phase) / (2 * Math.PI));
  const maximum = (2 * Math.PI * turns - phase) / rate;
  const size = amplitude || 1;
  const sloping = fitCurve({
    x,
    y,
    model: cosineOnSlope,
    start: [amplitude, rate, maximum, 0, offset],
    scale: [size, rate, 1 / rate, 1, size],
    sigma,
  });
  // In noisy data of less than a period, a slope is indistinguishable from a longer period.
  const fit = sloping.ok
    ? sloping
    : withoutSlope(
        fitCurve({
          x,
          y,
          model: cosineAlone,
          start: [amplitude, rate, maximum, offset],
          scale: [size, rate, 1 / rate, size],
          sigma,
        }),
      );
  const parameters = fit.ok ? fit.parameters : [amplitude, rate, maximum, 0, offset];
  return { fit, evaluate: (value) => cosineOnSlope.evaluate(parameters, value) };
}
