import { drivenPopulations } from '../../science/device/continuous-drive.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { requireNumber } from '../common/simulation/parameters.ts';
import { bandSweep, frequencyAxis, readContinuously } from '../common/simulation/spectroscopy.ts';
import { sweepDataset } from '../common/simulation/sweeps.ts';

/** Sweeps a drive of one power over the band. */
export const qubitFrequenciesSimulation: QubitSimulation = {
  measure(experiment) {
    const { qubit, run } = experiment;
    const points = bandSweep(run);
    const rabiFrequency = qubit.maximumRabiFrequency * requireNumber(run, 'control_amplitude');
    const populations = points.map((frequency) => drivenPopulations(qubit, frequency, rabiFrequency));
    return sweepDataset(
      frequencyAxis(points, 'Frequency of the drive'),
      readContinuously(experiment, populations),
    );
  },
};
