import { type Complex, times } from '../quantum/complex.ts';
import type { TrueQubit } from './device.ts';
import { lineFactor, reflect } from './reflection.ts';
import { type Populations, SECOND_DECAY } from './third-level.ts';

/**
 * Steady-state populations of a continuously driven transmon, from the rates between its three lowest states: drive,
 * decay and thermal excitation. The first transition alone gives Ω² / 2 (Ω² + δ² + γ²). The two-photon transition to
 * the second excited state is half the anharmonicity below it, with Ω₂ = √2 Ω² / 2 |α|. GHz.
 */
export function drivenPopulations(qubit: TrueQubit, frequency: number, rabiFrequency: number): Populations {
  const { f01, anharmonicity, thermalPopulation } = qubit;
  const detuning = frequency - f01;
  const first = driveRate(qubit, rabiFrequency, detuning);
  const second = driveRate(qubit, Math.SQRT2 * rabiFrequency, detuning - anharmonicity);
  const twoPhoton = driveRate(
    qubit,
    (Math.SQRT2 * rabiFrequency ** 2) / (2 * Math.abs(anharmonicity)),
    detuning - anharmonicity / 2,
  );
  const heating = thermalPopulation / (1 - thermalPopulation);
  // In the steady state both rates of change are zero, which gives two linear equations.
  const [a, b, c] = [
    2 * first + second + heating + 1,
    first - second + heating - SECOND_DECAY,
    first + heating,
  ];
  const [d, e, f] = [twoPhoton - second, 2 * twoPhoton + second + SECOND_DECAY, twoPhoton];
  const determinant = a * e - b * d;
  return { excited: (c * e - b * f) / determinant, second: (a * f - c * d) / determinant };
}

/** Rate at which a drive exchanges two states, relative to the decay rate of the first excited state. */
function driveRate({ lineWidth }: TrueQubit, rabi: number, detuning: number): number {
  return rabi ** 2 / (2 * (detuning ** 2 + lineWidth ** 2));
}

/** Noise-free reflection of a readout tone of fixed frequency from a qubit with these populations. */
export function reflectedBy(qubit: TrueQubit, frequency: number, { excited, second }: Populations): Complex {
  const shift = qubit.resonatorExcited - qubit.resonatorGround;
  const parts = [1 - excited - second, excited, second].map((population, state) => {
    const { re, im } = reflect(qubit, frequency - qubit.resonatorGround - state * shift);
    return { re: population * re, im: population * im };
  });
  const mixed = parts.reduce((sum, { re, im }) => ({ re: sum.re + re, im: sum.im + im }), { re: 0, im: 0 });
  return times(lineFactor(qubit, frequency), mixed);
}
