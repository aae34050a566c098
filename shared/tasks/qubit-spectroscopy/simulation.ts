import { drivenPopulations } from '../../science/device/continuous-drive.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { requireSweep } from '../common/simulation/parameters.ts';
import { bandSweep, mapDataset, readContinuously } from '../common/simulation/spectroscopy.ts';

/** Sweeps a drive tone over the band for each power, and measures the readout tone. */
export const qubitSpectroscopySimulation: QubitSimulation = {
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
