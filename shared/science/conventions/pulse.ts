/** Rabi frequency that a calibrated control amplitude gives, GHz. */
export const TARGET_RABI_FREQUENCY_GHZ = 0.0125;
/** Largest amplitude that an instrument plays; amplitudes are parts of it. */
export const FULL_SCALE = 1;
/** Largest control amplitude that is proposed, in parts of full scale. */
export const HIGHEST_CONTROL_AMPLITUDE = 0.99;
/** Control amplitudes while none is known, as fractions of full scale: the first one, and that of the search for a qubit. */
export const DEFAULT_CONTROL_AMPLITUDE = 0.0125;
export const SEARCHING_CONTROL_AMPLITUDE = 0.0625;
/** Control amplitudes from spectroscopy that a search can begin with, in parts of full scale. */
export const USABLE_CONTROL_AMPLITUDE = { above: 1e-4, below: 1 } as const;
/** Length of a plain pi/2 or pi pulse, ramps included, ns. */
export const PLAIN_PULSE_LENGTH_NS = 32;
/**
 * Rise and fall of a plain flat-top pulse in ns. A pulse of length L turns the qubit as a square pulse of L − ramp
 * would; a pulse given by its flat part turns it as one of flat + ramp.
 */
export const PULSE_RAMP_NS = 12;
/** Repetitions of a measurement whose task does not set them. */
export const DEFAULT_SHOTS = 1024;
/** How often a check may repeat a pulse or a gate; fewer repetitions do not add its errors up. */
export const PULSE_REPETITIONS = { fewest: 8, most: 1000 } as const;
/** Pulses on one qubit for a full turn: pi/2 pulses and pi pulses. */
export const PULSES_PER_TURN = { hpi: 4, pi: 2 } as const;
export type PlainPulse = keyof typeof PULSES_PER_TURN;

/**
 * Amplitude at which a flat-top pulse of the given length makes its part of a turn, where `controlAmplitude` is the
 * one that gives {@link TARGET_RABI_FREQUENCY_GHZ}. NaN for a pulse that is shorter than its ramp.
 */
export function expectedPulseAmplitude(
  pulse: PlainPulse,
  controlAmplitude: number,
  lengthNs: number,
): number {
  const effective = lengthNs - PULSE_RAMP_NS;
  return effective > 0
    ? controlAmplitude / (PULSES_PER_TURN[pulse] * TARGET_RABI_FREQUENCY_GHZ * effective)
    : Number.NaN;
}
