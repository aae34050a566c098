import type { QubitSimulation } from '../common/simulation/model.ts';
import { requireNumber } from '../common/simulation/parameters.ts';
import { readContinuously } from '../common/simulation/spectroscopy.ts';
import { pointsAround, sweepDataset } from '../common/simulation/sweeps.ts';

/**
 * Sweeps a drive with the stored amplitude around the stored frequency. The drive is switched slowly, so the qubit
 * follows adiabatically, with a response of half width Ω: p = 1/2 √(1 + (δ/Ω)²).
 */
export const controlAmplitudeSimulation: QubitSimulation = {
  measure(experiment) {
    const { qubit, inputs, run } = experiment;
    const centre = requireNumber(inputs, 'coarse_qubit_frequency');
    const rabiFrequency = qubit.maximumRabiFrequency * requireNumber(inputs, 'coarse_control_amplitude');
    const [span, step] = [requireNumber(run, 'frequency_span'), requireNumber(run, 'frequency_step')];
    if (!(step > 0 && span > step)) {
      throw new Error('The simulator needs a frequency_step above 0 and below the frequency_span.');
    }
    const points = pointsAround(centre, { reach: span, step });
    const thermal = qubit.thermalPopulation;
    const populations = points.map((frequency) => ({
      excited: thermal + (0.5 - thermal) / Math.hypot(1, (frequency - qubit.f01) / rabiFrequency),
      second: 0,
    }));
    const axis = { name: 'frequency', longName: 'Frequency of the drive', unit: 'GHz', points };
    return sweepDataset(axis, readContinuously(experiment, populations));
  },
};
