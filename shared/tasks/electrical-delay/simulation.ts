import type { QubitSimulation } from '../common/simulation/model.ts';
import { bandSweep, sweepReadoutTone } from '../common/simulation/spectroscopy.ts';

/** The phase of a tone beside the resonators runs with its frequency as the line is long. */
export const electricalDelaySimulation: QubitSimulation = {
  measure: (experiment) => sweepReadoutTone(experiment, bandSweep(experiment.run)),
};
