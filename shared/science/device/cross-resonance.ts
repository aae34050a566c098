import { CR_RAMP_NS } from '../conventions/cross-resonance.ts';
import { composeRotations, type Rotation, rotationAbout, type Vector } from '../quantum/rotations.ts';
import { awayFromZero, CR_GAIN, staticZz, type TruePair } from './pair-device.ts';

/** The tones of a cross-resonance pulse. Amplitudes in a.u., phases in radians. */
export interface CrossResonanceDrive {
  amplitude: number;
  phase: number;
  cancelAmplitude: number;
  cancelPhase: number;
  rotaryAmplitude: number;
  /** Frequency of all tones, which is the target's frequency in the calibration state, GHz. */
  frequency: number;
}

/** State of the control while the target is measured. */
export type ControlState = 0 | 1;

/** Rabi frequency of the cross-resonance tone on the control, GHz. */
function strength({ control }: TruePair, amplitude: number): number {
  return CR_GAIN * control.maximumRabiFrequency * amplitude;
}

/** Ratio of the rate by exact diagonalisation to that by perturbation theory, such as 0.877 at Ω / |D| = 0.75. */
function saturation(drive: number, detuning: number): number {
  return 1 / (1 + 0.25 * (drive / detuning) ** 2);
}

/**
 * The precession vector of the target (GHz): ZX and IX of the cross resonance along the phase of its tone, crosstalk,
 * cancel and rotary tone, the detuning of the drive and the static ZZ interaction.
 *
 * @param sign −1 for the second pulse of an echo, in which all tones have the opposite sign
 */
export function precession(
  pair: TruePair,
  drive: CrossResonanceDrive,
  state: ControlState,
  sign: 1 | -1 = 1,
): Vector {
  const { control, target, exchange } = pair;
  const detuning = awayFromZero(control.f01 - target.f01);
  const shifted = awayFromZero(detuning + control.anharmonicity);
  const omega = strength(pair, drive.amplitude);
  const kept = saturation(omega, detuning);
  const zx = (-exchange * omega * control.anharmonicity * kept) / (detuning * shifted);
  const ix = (-exchange * omega * kept) / shifted;
  const driven = state === 0 ? ix + zx : ix - zx;
  const tones = [
    { size: driven, phase: drive.phase + pair.drivePhase },
    { size: pair.crosstalk * drive.amplitude, phase: drive.phase + pair.crosstalkPhase },
    { size: target.maximumRabiFrequency * drive.cancelAmplitude, phase: drive.cancelPhase },
    { size: target.maximumRabiFrequency * drive.rotaryAmplitude, phase: 0 },
  ];
  const sum = (part: (phase: number) => number) =>
    sign * tones.reduce((total, { size, phase }) => total + size * part(phase), 0);
  return {
    x: sum(Math.cos),
    y: sum(Math.sin),
    z: target.f01 - drive.frequency + (state === 1 ? staticZz(pair) : 0),
  };
}

/** Rotation of the target by a pulse with a flat part of the given length. */
export function targetRotation(field: Vector, flatNs: number): Rotation {
  const angular = { x: 2 * Math.PI * field.x, y: 2 * Math.PI * field.y, z: 2 * Math.PI * field.z };
  return rotationAbout(angular, flatNs + CR_RAMP_NS);
}

/**
 * Rotation of the target by the echoed gate, for a control that starts in `state`: a pulse, a pi pulse on the control,
 * the pulse with all tones of opposite sign, and a pi pulse back. @param halfNs total length of one of the two pulses
 */
export function echoedRotation(
  pair: TruePair,
  drive: CrossResonanceDrive,
  halfNs: number,
  state: ControlState,
): Rotation {
  const flatNs = halfNs - 2 * CR_RAMP_NS;
  const first = targetRotation(precession(pair, drive, state), flatNs);
  const second = targetRotation(precession(pair, drive, state === 0 ? 1 : 0, -1), flatNs);
  return composeRotations(first, second);
}

/**
 * Probability that the control changes its state. The tone excites it (to its second level, from there to the third, or
 * by two photons) if the ramps are too fast for the detuning. The exchange swaps excitations if the qubits have equal
 * frequencies, or one frequency equals the other's next transition. Negligible for well separated frequencies.
 */
export function controlMixing(pair: TruePair, amplitude: number): number {
  const { control, target, exchange } = pair;
  const detuning = control.f01 - target.f01;
  const omega = strength(pair, amplitude);
  const toneTransitions = [
    { distance: detuning, rabi: omega },
    { distance: detuning + control.anharmonicity, rabi: Math.SQRT2 * omega },
    {
      distance: detuning + control.anharmonicity / 2,
      rabi: (Math.SQRT2 * omega ** 2) / (2 * Math.abs(control.anharmonicity)),
    },
  ];
  const excited = toneTransitions.map(({ distance, rabi }) => {
    const adiabatic = Math.exp(-((2 * Math.PI * distance * CR_RAMP_NS) ** 2) / 2);
    return adiabatic * (rabi ** 2 / (rabi ** 2 + distance ** 2));
  });
  const exchanges = [
    { distance: detuning, coupling: exchange },
    { distance: detuning + control.anharmonicity, coupling: Math.SQRT2 * exchange },
    { distance: detuning - target.anharmonicity, coupling: Math.SQRT2 * exchange },
  ];
  const swapped = exchanges.map(
    ({ distance, coupling }) => (4 * coupling ** 2) / (4 * coupling ** 2 + distance ** 2),
  );
  return Math.min(0.5, [...excited, ...swapped].reduce((sum, part) => sum + part, 0) / 2);
}
