import type { TrueQubit } from './device.ts';
import type { TruePair } from './pair-device.ts';

/**
 * Frequency of a transmon with flux through its SQUID: (f01 + E_C) √|cos(π Φ)| − E_C, with the charging energy E_C = −α
 * and the flux Φ in flux quanta. GHz.
 */
function threadedFrequency(
  { f01, anharmonicity }: Pick<TrueQubit, 'f01' | 'anharmonicity'>,
  flux: number,
): number {
  return (f01 - anharmonicity) * Math.sqrt(Math.abs(Math.cos(Math.PI * flux))) + anharmonicity;
}

/** The qubits of a pair by their frequencies: the flux line tunes the higher one down. */
export function byFrequency({ control, target }: Pick<TruePair, 'control' | 'target'>) {
  return control.f01 < target.f01 ? { lower: control, higher: target } : { lower: target, higher: control };
}

/**
 * Energy of the state with two excitations in the tuned qubit above the state with one in each qubit, during a pulse.
 * GHz.
 */
export function czDetuning(pair: TruePair, amplitude: number): number {
  const { lower, higher } = byFrequency(pair);
  return threadedFrequency(higher, pair.fluxLine.gain * amplitude) + higher.anharmonicity - lower.f01;
}

/**
 * Splitting of both states at their avoided crossing: 2 √2 J, GHz. The second excitation couples √2 times as strongly.
 */
export function czSplitting({ exchange }: Pick<TruePair, 'exchange'>): number {
  return 2 * Math.SQRT2 * exchange;
}

/** A played flux pulse. */
export interface FluxPulse {
  amplitude: number;
  lengthNs: number;
}

/** Time during which a pulse holds the qubit at the tuned frequency, ns. */
function heldTime({ fluxLine }: Pick<TruePair, 'fluxLine'>, lengthNs: number): number {
  return Math.max(0, lengthNs - fluxLine.rampNs);
}

/**
 * Remaining amplitude of |11> after a pulse: e^(−iπΔt) (cos πΩt + i Δ/Ω sin πΩt) with Ω² = g² + Δ², in the frame in
 * which it would be constant without the coupling. Its phase is the conditional phase; the lost population is in the
 * state with two excitations. Ramps are sudden compared with g.
 */
export function keptAmplitude(
  pair: TruePair,
  { amplitude, lengthNs }: FluxPulse,
): { re: number; im: number } {
  const time = heldTime(pair, lengthNs);
  const detuning = czDetuning(pair, amplitude);
  const rabi = Math.hypot(czSplitting(pair), detuning);
  const [cos, sin] = [Math.cos(Math.PI * rabi * time), (detuning / rabi) * Math.sin(Math.PI * rabi * time)];
  const [turnRe, turnIm] = [Math.cos(Math.PI * detuning * time), -Math.sin(Math.PI * detuning * time)];
  return { re: turnRe * cos - turnIm * sin, im: turnRe * sin + turnIm * cos };
}

/** Population that has left |11> after a pulse, including flux noise: g²/Ω² (1 − e^(−t/T) cos 2πΩt) / 2. */
export function exchangedPopulation(pair: TruePair, { amplitude, lengthNs }: FluxPulse): number {
  const time = heldTime(pair, lengthNs);
  const splitting = czSplitting(pair);
  const rabi = Math.hypot(splitting, czDetuning(pair, amplitude));
  const coherent = Math.exp(-time / (1000 * pair.fluxLine.dephasingTime));
  return (splitting / rabi) ** 2 * 0.5 * (1 - coherent * Math.cos(2 * Math.PI * rabi * time));
}

/** Phase of the tuned qubit's excited state after a pulse, in its own frame: −2π (f(Φ) − f01) t. Radians. */
export function tunedPhase(pair: TruePair, { amplitude, lengthNs }: FluxPulse): number {
  const { higher } = byFrequency(pair);
  const moved = threadedFrequency(higher, pair.fluxLine.gain * amplitude) - higher.f01;
  return -2 * Math.PI * moved * heldTime(pair, lengthNs);
}
