import type { QubitSimulation } from '../common/simulation/model.ts';
import { requireNumber } from '../common/simulation/parameters.ts';
import { sweepReadoutTone } from '../common/simulation/spectroscopy.ts';
import { pointsAround } from '../common/simulation/sweeps.ts';

/** A fine sweep around the stored frequency of the resonator. */
export const reflectionSimulation: QubitSimulation = {
  measure(experiment) {
    const { inputs, run } = experiment;
    const centre = requireNumber(inputs, 'readout_frequency');
    const [width, step] = [requireNumber(run, 'frequency_width'), requireNumber(run, 'frequency_step')];
    if (!(step > 0 && width > step)) {
      throw new Error('The simulator needs a frequency_step above 0 and below the frequency_width.');
    }
    return sweepReadoutTone(experiment, pointsAround(centre, { reach: width / 2, step }));
  },
};
