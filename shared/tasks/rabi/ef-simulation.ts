import { efExperiment } from '../common/simulation/ef-experiment.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { requireNumber } from '../common/simulation/parameters.ts';
import { rabiDataset } from './simulation.ts';

/** A π pulse, the pulse at the stored frequency of the second transition, and a π pulse back. */
export const efRabiSimulation: QubitSimulation = {
  measure(experiment) {
    const { qubit, inputs, run } = experiment;
    const rabiFrequency = qubit.maximumRabiFrequency * requireNumber(inputs, 'control_amplitude');
    const stored = requireNumber(inputs, 'ef_frequency');
    const { excited, drive, flip, readOut } = efExperiment(experiment);
    return rabiDataset(run, (lengths, beside) =>
      readOut(
        lengths.map((flatNs) => flip(drive(excited, { frequency: stored + beside, rabiFrequency, flatNs }))),
      ),
    );
  },
};
