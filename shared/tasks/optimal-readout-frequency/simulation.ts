import type { QubitSimulation } from '../common/simulation/model.ts';
import {
  excitedByControl,
  frequencyMap,
  preparedStates,
  readAt,
  sweptFrequencies,
} from '../common/simulation/readout-sweep.ts';

/** Both states, read out at frequencies around the stored one. */
export const optimalReadoutFrequencySimulation: QubitSimulation = {
  measure(experiment) {
    const frequencies = sweptFrequencies(experiment);
    const populations = [experiment.qubit.thermalPopulation, excitedByControl(experiment)];
    return frequencyMap(preparedStates, frequencies, readAt(experiment, populations, frequencies));
  },
};
