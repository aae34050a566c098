/** Rabi frequency at a calibrated control amplitude, GHz. */
export const TARGET_RABI_FREQUENCY_GHZ = 0.0125;
/** Full scale: the largest amplitude that an instrument plays. Amplitudes are fractions of it. */
export const FULL_SCALE = 1;
/** Largest control amplitude that a task proposes, as a fraction of full scale. */
export const HIGHEST_CONTROL_AMPLITUDE = 0.99;
/**
 * Control amplitudes to use before calibration, as fractions of full scale: the first one, and that of the search for a
 * qubit.
 */
export const DEFAULT_CONTROL_AMPLITUDE = 0.0125;
export const SEARCHING_CONTROL_AMPLITUDE = 0.0625;
/** Range of control amplitudes from spectroscopy with which a search can start, as fractions of full scale. */
export const USABLE_CONTROL_AMPLITUDE = { above: 1e-4, below: 1 } as const;
/** Length of a plain pi/2 or pi pulse, ramps included, ns. */
export const PLAIN_PULSE_LENGTH_NS = 32;
/**
 * Rise time and fall time of a plain flat-top pulse, ns. A pulse of length L turns the qubit like a square pulse of
 * length L − ramp; a pulse with a given flat part turns it like a square pulse of length flat + ramp.
 */
export const PULSE_RAMP_NS = 12;
/** Repetitions of a measurement whose task does not set them. */
export const DEFAULT_SHOTS = 1024;
/** Limits on the repetitions of a pulse or a gate in a check. With fewer repetitions, errors do not add up enough. */
export const PULSE_REPETITIONS = { fewest: 8, most: 1000 } as const;
/** Number of pulses in a full turn, for pi/2 pulses and for pi pulses. */
export const PULSES_PER_TURN = { hpi: 4, pi: 2 } as const;
export type PlainPulse = keyof typeof PULSES_PER_TURN;

/**
 * Amplitude at which a flat-top pulse of the given length turns the qubit by its angle, if `controlAmplitude` gives
 * {@link TARGET_RABI_FREQUENCY_GHZ}. NaN for a pulse that is shorter than its ramp.
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
