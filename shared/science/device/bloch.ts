import type { TrueQubit } from './device.ts';

/**
 * State of a qubit as a Bloch vector in the rotating frame of the drive: z = 1 is the ground state, z = −1 the excited
 * one.
 */
export interface BlochVector {
  x: number;
  y: number;
  z: number;
}

/** A flat-top pulse. Frequencies in GHz, times in ns. */
export interface FlatTopPulse {
  amplitude: number;
  /** Total length, including the ramps. */
  lengthNs: number;
  /** Drive frequency − true frequency. */
  detuning: number;
  /** Axis in the xy-plane, in radians: 0 turns about x, π/2 about y. Default 0. */
  phase?: number;
}

/** The state in thermal equilibrium. */
export function equilibrium(qubit: TrueQubit): BlochVector {
  return { x: 0, y: 0, z: 1 - 2 * qubit.thermalPopulation };
}

/** Probability to find the qubit excited. */
export function excitedPopulation({ z }: BlochVector): number {
  return Math.min(1, Math.max(0, (1 - z) / 2));
}

/** Rotates a vector about an axis of any length, by the angle 2π · length · duration (Rodrigues). */
function turn(state: BlochVector, axis: BlochVector, durationNs: number): BlochVector {
  const rate = Math.hypot(axis.x, axis.y, axis.z);
  if (rate === 0) return state;
  const [x, y, z] = [axis.x / rate, axis.y / rate, axis.z / rate];
  const angle = 2 * Math.PI * rate * durationNs;
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  const along = (x * state.x + y * state.y + z * state.z) * (1 - cosine);
  return {
    x: state.x * cosine + (y * state.z - z * state.y) * sine + x * along,
    y: state.y * cosine + (z * state.x - x * state.z) * sine + y * along,
    z: state.z * cosine + (x * state.y - y * state.x) * sine + z * along,
  };
}

/** Relaxation towards equilibrium with T1 and dephasing with the given T2, both in us. */
function relax(qubit: TrueQubit, state: BlochVector, durationNs: number, t2: number): BlochVector {
  const transverse = Math.exp(-durationNs / (1000 * t2));
  const rest = 1 - 2 * qubit.thermalPopulation;
  return {
    x: state.x * transverse,
    y: state.y * transverse,
    z: rest + (state.z - rest) * Math.exp(-durationNs / (1000 * qubit.t1)),
  };
}

/** Free evolution, `detuning` in GHz. The transverse part decays with `t2` (µs), by default the echo T2. */
export function wait(
  qubit: TrueQubit,
  state: BlochVector,
  { durationNs, detuning, t2 = qubit.t2Echo }: { durationNs: number; detuning: number; t2?: number },
): BlochVector {
  if (!(durationNs > 0)) return state;
  return relax(qubit, turn(state, { x: 0, y: 0, z: -detuning }, durationNs), durationNs, t2);
}

/**
 * Applies a pulse: free evolution for half of the ramps' time, the drive for the effective length, free evolution
 * again. Half of the relaxation is applied before the rotation and half after it, which is exact to second order in
 * length / T.
 */
export function applyPulse(qubit: TrueQubit, state: BlochVector, pulse: FlatTopPulse): BlochVector {
  const { amplitude, lengthNs, detuning, phase = 0 } = pulse;
  const rampNs = Math.min(qubit.rampNs, lengthNs);
  const effectiveNs = lengthNs - rampNs;
  const rate = qubit.maximumRabiFrequency * amplitude;
  const axis = { x: rate * Math.cos(phase), y: rate * Math.sin(phase), z: -detuning };
  const before = relax(
    qubit,
    wait(qubit, state, { durationNs: rampNs / 2, detuning }),
    effectiveNs / 2,
    qubit.t2Echo,
  );
  const after = relax(qubit, turn(before, axis, effectiveNs), effectiveNs / 2, qubit.t2Echo);
  return wait(qubit, after, { durationNs: rampNs / 2, detuning });
}

/** Applies the same pulse `count` times without a pause. */
export function applyPulses(
  qubit: TrueQubit,
  state: BlochVector,
  pulse: FlatTopPulse,
  count: number,
): BlochVector {
  let current = state;
  for (let index = 0; index < count; index++) current = applyPulse(qubit, current, pulse);
  return current;
}
