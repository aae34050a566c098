import type { QubitSimulation } from '../common/simulation/model.ts';
import { bandSweep, sweepReadoutTone } from '../common/simulation/spectroscopy.ts';

/** Away from the resonators, the phase of a tone is proportional to its frequency and the length of the line. */
export const electricalDelaySimulation: QubitSimulation = {
  measure: (experiment) => sweepReadoutTone(experiment, bandSweep(experiment.run)),
};
