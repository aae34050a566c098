import { efExperiment } from '../common/simulation/ef-experiment.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { requireNumber, requireSweep } from '../common/simulation/parameters.ts';
import { frequencyAxis } from '../common/simulation/spectroscopy.ts';
import { sweepDataset } from '../common/simulation/sweeps.ts';

/**
 * A π pulse, the weak pulse at each frequency, and a π pulse back. Population in the second excited state stays there.
 */
export const efSpectroscopySimulation: QubitSimulation = {
  measure(experiment) {
    const { qubit, inputs, run } = experiment;
    const stored = requireNumber(inputs, 'qubit_frequency');
    const points = requireSweep(run, 'distance_range').map((distance) => stored + distance);
    const amplitude = requireNumber(inputs, 'control_amplitude') * requireNumber(run, 'relative_amplitude');
    const rabiFrequency = qubit.maximumRabiFrequency * amplitude;
    const flatNs = requireNumber(run, 'pulse_length');
    const { excited, drive, flip, readOut } = efExperiment(experiment);
    const populations = points.map((frequency) => flip(drive(excited, { frequency, rabiFrequency, flatNs })));
    return sweepDataset(frequencyAxis(points, 'Frequency of the pulse'), readOut(populations));
  },
};
