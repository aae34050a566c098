import { drivenTransition, populationAfter } from '../../science/device/driven-transition.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { requireSweep } from '../common/simulation/parameters.ts';
import { driveOf, frequencyMap, readAt, sweptFrequencies } from '../common/simulation/readout-sweep.ts';

/** Rabi oscillations, read out at frequencies around the stored one. */
export const readoutFrequencySimulation: QubitSimulation = {
  measure(experiment) {
    const { qubit, run } = experiment;
    const frequencies = sweptFrequencies(experiment);
    const points = requireSweep(run, 'time_range');
    const drive = driveOf(experiment);
    const populations = points.map((flatNs) =>
      populationAfter(qubit, drivenTransition(qubit, { ...drive, durationNs: flatNs + qubit.rampNs })),
    );
    const rows = { name: 'time', longName: 'Length of the control pulse', unit: 'ns', points };
    return frequencyMap(rows, frequencies, readAt(experiment, populations, frequencies));
  },
};
