import type { Dataset } from '../../../science/datasets/model.ts';
import { type ComplexSweep, readComplexSweep } from '../../../science/datasets/rules.ts';
import { type IqPoints, rotateToPrincipalAxis } from '../../../science/fitting/iq-rotation.ts';
import { standardDeviation } from '../../../science/fitting/statistics.ts';

/** Degrees of freedom used by an axis through points: its position and its direction. */
const SPENT_ON_AXIS = 2;

/** The signal as excited-state population if the dataset has both prepared states, else in arbitrary units. */
export interface ScaledSignal {
  y: number[];
  /** Standard deviation of one point across the axis of the signal, in the unit of `y`. */
  across: number;
  /** The points' coordinates across their principal axis, along which a qubit does not move them. */
  aside: number[];
  /** Projects any other point onto the axis of the signal. */
  at(re: number, im: number): number;
  label: string;
  calibrated: boolean;
  /** Points of prepared states, if there are any. */
  prepared?: IqPoints;
}

/** Signals of the prepared states in the variables `reference_re`, `reference_im` over `state`, if present. */
function referenceStates(
  dataset: Dataset,
): Partial<Record<'ground' | 'excited', { re: number; im: number }>> {
  const reference = readComplexSweep(dataset, 'state', 'reference');
  if (typeof reference === 'string') return {};
  const at = (state: number) => {
    const [re, im] = [reference.re[reference.x.indexOf(state)], reference.im[reference.x.indexOf(state)]];
    return re === undefined || im === undefined ? undefined : { re, im };
  };
  return { ground: at(0), excited: at(1) };
}

/**
 * Projects the points onto one axis: the line from the ground state at 0 to the excited reference state at 1 if the
 * dataset has both; otherwise the unscaled principal axis of the points, in the unit in which they were measured.
 */
export function scaleSignal(dataset: Dataset, sweep: ComplexSweep): ScaledSignal {
  return population(dataset, sweep) ?? { ...principal(sweep), label: `Signal (${signalUnit(dataset)})` };
}

/** The unit of the measured signal, if it can be shown; else arbitrary units. */
function signalUnit({ variables }: Dataset): string {
  const unit = variables['iq_re']?.unit.trim() ?? '';
  return /^[A-Za-zµμΩ]{1,8}$/.test(unit) ? unit : 'a.u.';
}

/** The principal axis of the points, in arbitrary units. */
export function principal(sweep: ComplexSweep): ScaledSignal {
  const { angle, along, across } = rotateToPrincipalAxis(sweep);
  return {
    y: along,
    at: (re, im) => re * Math.cos(angle) + im * Math.sin(angle),
    across: standardDeviation(across, SPENT_ON_AXIS),
    aside: across,
    label: 'Signal (a.u.)',
    calibrated: false,
  };
}

function population(dataset: Dataset, sweep: ComplexSweep): ScaledSignal | null {
  const { ground, excited } = referenceStates(dataset);
  if (ground === undefined || excited === undefined) return null;
  const distance = Math.hypot(excited.re - ground.re, excited.im - ground.im);
  const [cos, sin] = [(excited.re - ground.re) / distance, (excited.im - ground.im) / distance];
  const at = (re: number, im: number) => ((re - ground.re) * cos + (im - ground.im) * sin) / distance;
  // Prepared states are noisy too, so their axis differs slightly from that of the points, which scatter about their own.
  const { across: aside } = rotateToPrincipalAxis(sweep);
  const across = standardDeviation(aside, SPENT_ON_AXIS);
  // References as close together as noise would place them give no scale.
  if (!(distance > 3 * across)) return null;
  return {
    y: sweep.re.map((re, index) => at(re, sweep.im[index] ?? 0)),
    at,
    across: across / distance,
    aside,
    label: 'Excited-state population',
    calibrated: true,
    prepared: { re: [ground.re, excited.re], im: [ground.im, excited.im] },
  };
}

/** The points projected onto their principal axis, with the ground state on its positive side. */
export function principalFromGround(dataset: Dataset, sweep: ComplexSweep): ScaledSignal {
  const { ground } = referenceStates(dataset);
  if (ground === undefined) return principal(sweep);
  const scaled = { ...principal(sweep), prepared: { re: [ground.re], im: [ground.im] } };
  const nearest = sweep.re.reduce(
    (best, re, index) => {
      const distance = Math.hypot(re - ground.re, (sweep.im[index] ?? 0) - ground.im);
      return distance < best.distance ? { distance, y: scaled.y[index] ?? 0 } : best;
    },
    { distance: Number.POSITIVE_INFINITY, y: 0 },
  );
  const middle = (Math.max(...scaled.y) + Math.min(...scaled.y)) / 2;
  if (nearest.y >= middle) return scaled;
  return { ...scaled, y: scaled.y.map((value) => -value), at: (re, im) => -scaled.at(re, im) };
}
