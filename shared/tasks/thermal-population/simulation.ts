import { efExperiment } from '../common/simulation/ef-experiment.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { requireNumber, requireSweep } from '../common/simulation/parameters.ts';
import { shorten, sweepDataset } from '../common/simulation/sweeps.ts';

/**
 * Drives the second transition for each length, after a half turn and without one, and ends both with a half turn,
 * which takes the population that was not excited to the ground state.
 */
export const thermalPopulationSimulation: QubitSimulation = {
  measure(experiment) {
    const { qubit, inputs, run } = experiment;
    const points = requireSweep(run, 'time_range');
    const rabiFrequency = qubit.maximumRabiFrequency * requireNumber(inputs, 'ef_control_amplitude');
    const frequency = requireNumber(inputs, 'ef_frequency');
    const { ground, excited, drive, flip, readOut } = efExperiment(experiment);
    const [after, without] = [excited, ground].map((from) =>
      readOut(points.map((flatNs) => flip(drive(from, { frequency, rabiFrequency, flatNs })))),
    );
    if (after === undefined || without === undefined) throw new Error('Both oscillations are measured.');
    const axis = {
      name: 'time',
      longName: 'Length of the pulse on the second transition',
      unit: 'ns',
      points,
    };
    const dataset = sweepDataset(axis, after);
    const variable = { dims: ['time'], unit: 'a.u.' };
    return {
      ...dataset,
      variables: {
        ...dataset.variables,
        unexcited_re: {
          ...variable,
          values: shorten(without.re),
          long_name: 'In-phase signal, averaged, without exciting the qubit before',
        },
        unexcited_im: {
          ...variable,
          values: shorten(without.im),
          long_name: 'Quadrature signal, averaged, without exciting the qubit before',
        },
      },
    };
  },
};
