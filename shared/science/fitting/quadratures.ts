import type { Complex } from '../quantum/complex.ts';
import type { FitProblem } from './least-squares.ts';

/** A measured complex signal at a frequency and a power. */
export interface ComplexPoint extends Complex {
  /** GHz. */
  frequency: number;
  /** dB. */
  power: number;
  /** Standard deviation per quadrature up to a common factor. */
  sigma: number;
}

type At<Value> = (parameters: readonly number[], frequency: number, power: number) => Value;

/**
 * Both quadratures of complex points as one curve: point i is at x = 2i and 2i + 1. A signal is computed once for both
 * quadratures.
 * @param slopesAt the signal's derivatives by each parameter
 */
export function bothQuadratures(
  points: readonly ComplexPoint[],
  signalAt: At<Complex>,
  slopesAt: At<Complex[]>,
): Pick<Required<FitProblem>, 'x' | 'y' | 'sigma' | 'model'> {
  const part = (x: number, { re, im }: Complex) => (x % 2 === 0 ? re : im);
  const signalOf = remembered(points, signalAt);
  const slopesOf = remembered(points, slopesAt);
  return {
    x: points.flatMap((_, index) => [2 * index, 2 * index + 1]),
    y: points.flatMap(({ re, im }) => [re, im]),
    sigma: points.flatMap(({ sigma }) => [sigma, sigma]),
    model: {
      evaluate: (parameters, x) => part(x, signalOf(parameters, x >> 1)),
      gradient: (parameters, x) => slopesOf(parameters, x >> 1).map((slope) => part(x, slope)),
    },
  };
}

/** Caches the last value. Changed parameters are always a new list, so comparing its identity is enough. */
function remembered<Value>(points: readonly ComplexPoint[], compute: At<Value>) {
  let last: { index: number; parameters: readonly number[]; value: Value } | undefined;
  return (parameters: readonly number[], index: number): Value => {
    if (last?.index === index && last.parameters === parameters) return last.value;
    const { frequency, power } = points[index] ?? { frequency: 0, power: 0 };
    last = { index, parameters, value: compute(parameters, frequency, power) };
    return last.value;
  };
}

/** Derivatives of a signal as central differences over `steps`, one for each parameter, in its unit. */
export function slopesByDifferences(signalAt: At<Complex>, steps: readonly number[]): At<Complex[]> {
  return (parameters, frequency, power) => {
    const tried = [...parameters];
    return parameters.map((each, index) => {
      const step = steps[index] ?? Number.NaN;
      tried[index] = each + step;
      const above = signalAt(tried, frequency, power);
      tried[index] = each - step;
      const below = signalAt(tried, frequency, power);
      tried[index] = each;
      return { re: (above.re - below.re) / (2 * step), im: (above.im - below.im) / (2 * step) };
    });
  };
}
