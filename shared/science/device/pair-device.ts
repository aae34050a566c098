import type { TrueQubit } from './device.ts';
import { randomFrom } from './random.ts';

/** The true parameters of a coupling in one direction, hidden from the tasks. Frequencies in GHz, phases in radians. */
export interface TruePair {
  control: TrueQubit;
  target: TrueQubit;
  /** Exchange interaction J, the same in both directions. */
  exchange: number;
  /** Direct drive of the target by the control's line, per amplitude. */
  crosstalk: number;
  crosstalkPhase: number;
  /** Phase of the cross-resonance tone when it arrives at the control. */
  drivePhase: number;
  /** The flux line of the pair. It is used only if the chip declares it. */
  fluxLine: FluxLine;
}

/** A line that threads the SQUID of the qubit with the higher frequency in a pair. */
export interface FluxLine {
  /** Flux quanta per amplitude. */
  gain: number;
  /** Part of a pulse's length that the ramps take, ns. */
  rampNs: number;
  /** Dephasing time of the tuned qubit by flux noise, us. */
  dephasingTime: number;
}

/** Gain of the separate amplifier for cross-resonance tones, relative to the amplifier for control pulses. */
export const CR_GAIN = 5;

/** The true parameters of the pair of `control` and `target`. */
export function truePair(
  seed: string,
  ends: { control: string; target: string },
  control: TrueQubit,
  target: TrueQubit,
): TruePair {
  const bond = [ends.control, ends.target].sort((a, b) => Number(a) - Number(b));
  const line = randomFrom(seed, ends.control, ends.target, 'cross resonance');
  const flux = randomFrom(seed, ...bond, 'flux line');
  return {
    control,
    target,
    exchange: randomFrom(seed, ...bond, 'exchange').between(0.002, 0.005),
    crosstalk: line.between(0.001, 0.003),
    crosstalkPhase: line.between(-Math.PI, Math.PI),
    drivePhase: line.between(-Math.PI, Math.PI),
    fluxLine: {
      gain: flux.between(0.45, 0.75),
      rampNs: flux.between(2, 5),
      dephasingTime: flux.between(3, 10),
    },
  };
}

/**
 * Static ZZ interaction, the shift of one qubit by an excitation of the other: −2 J² (α_c + α_t) / ((D + α_c) (α_t −
 * D)) with D = f_c − f_t. GHz.
 */
export function staticZz({ control, target, exchange }: TruePair): number {
  const detuning = control.f01 - target.f01;
  const shared = awayFromZero(detuning + control.anharmonicity);
  const other = awayFromZero(target.anharmonicity - detuning);
  return (-2 * exchange ** 2 * (control.anharmonicity + target.anharmonicity)) / (shared * other);
}

/** Keeps the formulas of perturbation theory finite at a resonance, where the theory breaks down. */
export function awayFromZero(value: number): number {
  const SMALLEST = 1e-3;
  return Math.abs(value) < SMALLEST ? (value < 0 ? -SMALLEST : SMALLEST) : value;
}
