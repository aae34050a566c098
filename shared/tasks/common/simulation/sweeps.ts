import type { Dataset } from '../../../science/datasets/model.ts';
import type { AveragedSignals } from '../../../science/device/readout.ts';

/** A complex signal over one axis, as in every averaged measurement. */
export function sweepDataset(
  axis: { name: string; longName: string; unit: string; points: readonly number[] },
  signals: AveragedSignals,
): Dataset {
  const dims = [axis.name];
  return {
    dims: { [axis.name]: axis.points.length },
    coordinates: {
      [axis.name]: { dims, values: places(axis.points), unit: axis.unit, long_name: axis.longName },
    },
    variables: {
      iq_re: { dims, values: shorten(signals.re), unit: 'a.u.', long_name: 'In-phase signal, averaged' },
      iq_im: { dims, values: shorten(signals.im), unit: 'a.u.', long_name: 'Quadrature signal, averaged' },
    },
  };
}

/** Seven significant digits are finer than any simulated noise, and keep datasets small enough to be sent inline. */
export function shorten(values: readonly number[]): number[] {
  return values.map((value) => Number(value.toPrecision(7)));
}

/** Positions of a sweep without the rounding of sums. Seven digits would be off by 5 kHz at 10 GHz. */
export function places(values: readonly number[]): number[] {
  return values.map((value) => Number(value.toPrecision(12)));
}

/** Points of a sweep that extends by `reach` to either side of its centre. */
export function pointsAround(centre: number, { reach, step }: { reach: number; step: number }): number[] {
  const count = Math.floor(reach / step + 1e-6);
  return Array.from({ length: 2 * count + 1 }, (_, index) => centre + (index - count) * step);
}
