/**
 * Drift of a device over days: qubit frequencies drift and jump, two-level defects pass by, and room-temperature
 * electronics drift. docs/simulator.md has the sizes and their sources.
 */
import { GHZ } from '../conventions/units.ts';
import { dressedResonator, muxOf, type TrueQubit } from './device.ts';
import { HOUR_MS, jumping, MINUTE_MS, wandering } from './wandering.ts';

/** A qubit of a device, and the time. */
export interface DriftMoment {
  seed: string;
  qid: string;
  at: Date;
}

/**
 * The fixed time at which this drift takes the undrifted device. Otherwise the slow waves of every simulated device
 * would add to the drift.
 */
export const UNDRIFTED = new Date('2026-01-01T00:00:00Z');

/** Spectrum of slow quantities, correlated over days. */
const SLOW = { longestMs: 96 * HOUR_MS, shortestMs: 3 * HOUR_MS, slope: 2 } as const;
/** Spectrum of the noise of many fluctuators. */
const FLICKER = { longestMs: 32 * HOUR_MS, shortestMs: 5 * MINUTE_MS, slope: 1 } as const;

/** Standard deviations at size 1; relative, unless the name contains a unit. */
const FREQUENCY_SLOW_GHZ = 30 * GHZ.kHz;
const FREQUENCY_FLICKER_GHZ = 3 * GHZ.kHz;
const FREQUENCY_JUMP_GHZ = 15 * GHZ.kHz;
const FREQUENCY_DWELL_MS = 60 * HOUR_MS;
const T1_FLICKER = 0.15;
const DEPHASING_FLICKER = 0.1;
const DRIVE_SLOW = 0.006;
const DRIVE_FLICKER = 0.001;
const READOUT_ANGLE_RAD = 0.1;
const READOUT_GAIN = 0.03;

/** Two-level defects near a qubit: their number, the range of their diffusion, their width, and T1 on resonance. */
const DEFECTS = 2;
const DEFECT_SPREAD_GHZ = 60 * GHZ.MHz;
const DEFECT_DIFFUSION = { longestMs: 240 * HOUR_MS, shortestMs: 30 * MINUTE_MS, slope: 2 } as const;
const DEFECT_TELEGRAPH_GHZ = 2 * GHZ.MHz;
const DEFECT_DWELL_MS = 2 * HOUR_MS;
const DEFECT_WIDTH_GHZ = 1 * GHZ.MHz;
const DEFECT_T1_US = 5;

/** The qubit with another T1 and the same pure dephasing. */
export function withT1(qubit: TrueQubit, t1: number): TrueQubit {
  const moved = (t2: number) => 1 / (1 / t2 + (1 / t1 - 1 / qubit.t1) / 2);
  const t2Echo = Math.min(2 * t1, moved(qubit.t2Echo));
  return { ...qubit, t1, t2Echo, t2Star: Math.min(t2Echo, moved(qubit.t2Star)) };
}

/** The qubit with a shifted frequency, which also shifts its resonator. */
export function withFrequency(qubit: TrueQubit, shift: number): TrueQubit {
  const moved = { ...qubit, f01: qubit.f01 + shift };
  return { ...moved, ...dressedResonator(moved) };
}

/** Relaxation rate of a qubit by passing defects, 1/us. */
function defectRate({ seed, qid, at }: DriftMoment): number {
  return Array.from({ length: DEFECTS }, (_, index) => {
    const of = { seed, of: qid };
    const diffused = wandering({ ...of, quantity: `defect ${index}` }, at, DEFECT_DIFFUSION);
    const jumped = jumping({ ...of, quantity: `defect ${index} jumps` }, at, DEFECT_DWELL_MS);
    const distance = DEFECT_SPREAD_GHZ * diffused + DEFECT_TELEGRAPH_GHZ * jumped;
    return 1 / DEFECT_T1_US / (1 + (distance / DEFECT_WIDTH_GHZ) ** 2);
  }).reduce((sum, rate) => sum + rate, 0);
}

/** The qubit of a device at a time, after drift of the given size. A pure function. */
export function driftedQubit(qubit: TrueQubit, moment: DriftMoment, size: number): TrueQubit {
  const { seed, qid, at } = moment;
  const own = (quantity: string) => ({ seed, of: qid, quantity });
  const line = (quantity: string) => ({ seed, of: muxOf(qid).name, quantity });

  const shift =
    FREQUENCY_SLOW_GHZ * wandering(own('frequency'), at, SLOW) +
    FREQUENCY_FLICKER_GHZ * wandering(own('frequency noise'), at, FLICKER) +
    FREQUENCY_JUMP_GHZ * jumping(own('frequency jumps'), at, FREQUENCY_DWELL_MS);
  const t1 = qubit.t1 * Math.exp(T1_FLICKER * size * wandering(own('relaxation'), at, FLICKER));
  const dephasing = Math.exp(DEPHASING_FLICKER * size * wandering(own('dephasing'), at, FLICKER));
  const drive =
    DRIVE_SLOW * wandering(own('drive'), at, SLOW) +
    DRIVE_FLICKER * wandering(own('drive noise'), at, FLICKER);
  const relaxed = withT1(qubit, 1 / (1 / t1 + size * defectRate(moment)));
  const t2Echo = Math.min(2 * relaxed.t1, relaxed.t2Echo * dephasing);
  const moved = {
    ...relaxed,
    t2Echo,
    t2Star: Math.min(t2Echo, relaxed.t2Star * dephasing),
    maximumRabiFrequency: relaxed.maximumRabiFrequency * Math.exp(size * drive),
    direction: relaxed.direction + READOUT_ANGLE_RAD * size * wandering(line('readout phase'), at, SLOW),
    distance: relaxed.distance * Math.exp(READOUT_GAIN * size * wandering(line('readout gain'), at, SLOW)),
  };
  return withFrequency(moved, size * shift);
}
