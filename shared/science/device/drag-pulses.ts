import { composeRotations, IDENTITY, type Rotation, rotationAbout } from '../quantum/rotations.ts';
import type { TrueQubit } from './device.ts';

/**
 * A DRAG pulse as a task plays it: a raised cosine of the given peak amplitude, and beta (ns) times its derivative in
 * the other quadrature.
 */
export interface DragPulse {
  amplitude: number;
  lengthNs: number;
  beta: number;
  /** GHz. */
  frequency: number;
}

/**
 * Number of slices of constant field in which a pulse is computed. More slices change a gate error by less than 1e-8.
 */
const SLICES = 96;

/**
 * Beta at which the second quadrature cancels the phase error caused by the third level: 1/(2 |α|) with α as angular
 * frequency, in ns (https://doi.org/10.1103/PhysRevLett.103.110501).
 */
export function idealBeta(qubit: Pick<TrueQubit, 'anharmonicity'>): number {
  return 1 / (4 * Math.PI * Math.abs(qubit.anharmonicity));
}

/** Amplitude at which a raised cosine turns by `angle`, by its area alone, without any other error. */
export function dragAmplitude(
  qubit: Pick<TrueQubit, 'maximumRabiFrequency'>,
  angle: number,
  lengthNs: number,
): number {
  return angle / (Math.PI * qubit.maximumRabiFrequency * lengthNs);
}

/**
 * The rotation of the qubit by a DRAG pulse about x, in the frame of its drive: Ω(t) along x, −β dΩ/dt along y, and
 * along z the detuning and the shift Ω²/(2 |α|) by the third level. Errors of amplitude, beta and frequency act
 * together, so a beta that was calibrated with a detuned drive compensates part of the detuning, as on a real chip.
 */
export function dragRotation(qubit: TrueQubit, pulse: DragPulse): Rotation {
  const { lengthNs } = pulse;
  const step = lengthNs / SLICES;
  const peak = 2 * Math.PI * qubit.maximumRabiFrequency * pulse.amplitude;
  const shiftByThirdLevel = idealBeta(qubit);
  const detuning = 2 * Math.PI * (qubit.f01 - pulse.frequency);
  let rotation = IDENTITY;
  for (let slice = 0; slice < SLICES; slice++) {
    const phase = (2 * Math.PI * (slice + 0.5)) / SLICES;
    const drive = (peak * (1 - Math.cos(phase))) / 2;
    const slope = (peak * Math.PI * Math.sin(phase)) / lengthNs;
    const field = {
      x: drive,
      y: -pulse.beta * slope,
      z: detuning + shiftByThirdLevel * drive ** 2,
    };
    rotation = composeRotations(rotation, rotationAbout(field, step));
  }
  return rotation;
}

/** Spectrum of a raised cosine at a number of cycles per pulse length; 1 at zero. */
export function pulseSpectrum(cycles: number): number {
  if (cycles === 0) return 1;
  const rest = 1 - cycles ** 2;
  if (Math.abs(rest) < 1e-6) return 0.5;
  return Math.sin(Math.PI * cycles) / (Math.PI * cycles * rest);
}

/**
 * Probability of leakage to the third level, averaged over the qubit's states: the pulse's spectrum at the
 * anharmonicity. The quadrature multiplies it by 1 − 2π |α| β: four times lower at the ideal beta than without DRAG.
 */
export function dragLeakage(qubit: TrueQubit, pulse: DragPulse): number {
  const cycles = Math.abs(qubit.anharmonicity) * pulse.lengthNs;
  const angle = Math.PI * qubit.maximumRabiFrequency * pulse.amplitude * pulse.lengthNs;
  const spectrum = pulseSpectrum(cycles);
  const quadrature = 1 - pulse.beta / (2 * idealBeta(qubit));
  // The drive from the second to the third level is √2 times stronger, and half of the average state is in the second
  // level.
  return ((angle * spectrum * quadrature) / Math.SQRT2) ** 2 / 2;
}
