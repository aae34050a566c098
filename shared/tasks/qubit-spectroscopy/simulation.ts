import type { TrueQubit } from '../../science/device/device.ts';
import type { AveragedSignals } from '../../science/device/readout.ts';
import { addLineNoise, type Complex, lineFactor, reflect, times } from '../../science/device/reflection.ts';
import {
  type Experiment,
  requireNumber,
  requireSweep,
  sweepDataset,
  type TaskPhysics,
} from '../common/simulation/physics.ts';
import { bandSweep, mapDataset } from '../resonator-spectroscopy/simulation.ts';

/** A tone that reads out while the qubit is driven sees more of the amplifier's noise than a resonator's sweep. */
const NOISE_FACTOR = 2.5;
/** The second excited state decays twice as fast as the first. */
const SECOND_DECAY = 2;

export interface Populations {
  excited: number;
  second: number;
}

/**
 * Populations of a continuously driven transmon: rates between its three lowest states in equilibrium with decay and
 * thermal excitation. Alone, the first transition gives Ω² / 2 (Ω² + δ² + γ²). The two-photon transition to the second
 * state lies half the anharmonicity below it, with Ω₂ = √2 Ω² / 2 |α|. GHz.
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
  // Both rates of change are zero: two linear equations.
  const [a, b, c] = [
    2 * first + second + heating + 1,
    first - second + heating - SECOND_DECAY,
    first + heating,
  ];
  const [d, e, f] = [twoPhoton - second, 2 * twoPhoton + second + SECOND_DECAY, twoPhoton];
  const determinant = a * e - b * d;
  return { excited: (c * e - b * f) / determinant, second: (a * f - c * d) / determinant };
}

/** How often a drive exchanges two states, against the decay of the first excited one. */
function driveRate({ lineWidth }: TrueQubit, rabi: number, detuning: number): number {
  return rabi ** 2 / (2 * (detuning ** 2 + lineWidth ** 2));
}

/** What a readout tone of fixed frequency sees of a qubit with these populations, without noise. */
function reflectedBy(qubit: TrueQubit, frequency: number, { excited, second }: Populations): Complex {
  const shift = qubit.resonatorExcited - qubit.resonatorGround;
  const parts = [1 - excited - second, excited, second].map((population, state) => {
    const { re, im } = reflect(qubit, frequency - qubit.resonatorGround - state * shift);
    return { re: population * re, im: population * im };
  });
  const mixed = parts.reduce((sum, { re, im }) => ({ re: sum.re + re, im: sum.im + im }), { re: 0, im: 0 });
  return times(lineFactor(qubit, frequency), mixed);
}

/** Reads the driven qubit out with the tone that the task asks for. */
export function readContinuously(
  { qubit, inputs, run, noise }: Experiment,
  populations: readonly Populations[],
): AveragedSignals {
  const frequency = requireNumber(inputs, 'readout_frequency');
  const amplitude = requireNumber(run, 'readout_amplitude');
  const shots = requireNumber(run, 'shots');
  const signals = populations.map((each) => reflectedBy(qubit, frequency, each));
  return addLineNoise(signals, qubit, { amplitude: amplitude / NOISE_FACTOR, shots }, noise);
}

/** Sweeps a drive tone over the band, for each power, and watches the readout tone. */
export const qubitSpectroscopyPhysics: TaskPhysics = {
  measure(experiment) {
    const { qubit, run } = experiment;
    const frequencies = bandSweep(run);
    const powers = requireSweep(run, 'power_range');
    const rows = powers.map((power) => {
      const rabiFrequency = qubit.maximumRabiFrequency * 10 ** (power / 20);
      return readContinuously(
        experiment,
        frequencies.map((frequency) => drivenPopulations(qubit, frequency, rabiFrequency)),
      );
    });
    return mapDataset(powers, frequencies, rows);
  },
};

/**
 * Sweeps a drive of the amplitude believed right around the frequency believed right. It comes and goes slowly, so the
 * qubit follows and leaves a response of half width Ω: p = 1/2 √(1 + (δ/Ω)²).
 */
export const controlAmplitudePhysics: TaskPhysics = {
  measure(experiment) {
    const { qubit, inputs, run } = experiment;
    const centre = requireNumber(inputs, 'coarse_qubit_frequency');
    const rabiFrequency = qubit.maximumRabiFrequency * requireNumber(inputs, 'coarse_control_amplitude');
    const [span, step] = [requireNumber(run, 'frequency_span'), requireNumber(run, 'frequency_step')];
    if (!(step > 0 && span > step)) {
      throw new Error('The simulator needs a frequency_step above 0 and below the frequency_span.');
    }
    const count = Math.floor(span / step + 1e-6);
    const points = Array.from({ length: 2 * count + 1 }, (_, index) => centre + (index - count) * step);
    const thermal = qubit.thermalPopulation;
    const populations = points.map((frequency) => ({
      excited: thermal + (0.5 - thermal) / Math.hypot(1, (frequency - qubit.f01) / rabiFrequency),
      second: 0,
    }));
    const axis = { name: 'frequency', longName: 'Frequency of the drive', unit: 'GHz', points };
    return sweepDataset(axis, readContinuously(experiment, populations));
  },
};
