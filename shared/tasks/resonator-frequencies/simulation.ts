import { withLineDesign } from '../common/simulation/line-design.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { bandSweep, sweepReadoutTone } from '../common/simulation/spectroscopy.ts';

/** One sweep covers all resonators of the line. */
export const resonatorFrequenciesSimulation: QubitSimulation = {
  measure: (experiment) => withLineDesign(sweepReadoutTone(experiment, bandSweep(experiment.run))),
};
