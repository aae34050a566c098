import { jointReadout } from '../common/simulation/joint-readout.ts';
import type { PairExperiment, PairSimulation } from '../common/simulation/model.ts';
import { addReadoutReferences, countsVariable } from '../common/simulation/pair-counts.ts';
import { pairErrorOfHpi, playedZx90 } from '../common/simulation/zx90-gate.ts';
import { bellCorrelations, outcomeProbabilities, type ReadAxis } from './pair-state.ts';

const AXES: readonly ReadAxis[] = ['X', 'Y', 'Z'];

/** A Bell state made with the calibrated gate. It includes the error of the control's pi/2 pulse. */
export function madeBellState(experiment: PairExperiment) {
  return bellCorrelations(playedZx90(experiment), pairErrorOfHpi(experiment, 'control'));
}

export const bellStateSimulation: PairSimulation = {
  measure(experiment) {
    const readout = jointReadout(experiment);
    const probabilities = outcomeProbabilities(madeBellState(experiment), 'Z', 'Z');
    const counts = countsVariable([], readout.count(probabilities, experiment.noise), 'the Bell state');
    return addReadoutReferences({ dims: {}, coordinates: {}, variables: { counts } }, experiment, readout);
  },
};

/** All nine pairs of axes. */
export const bellTomographySimulation: PairSimulation = {
  measure(experiment) {
    const readout = jointReadout(experiment);
    const state = madeBellState(experiment);
    const counts = AXES.flatMap((control) =>
      AXES.flatMap((target) => readout.count(outcomeProbabilities(state, control, target), experiment.noise)),
    );
    const axis = (role: string) => ({
      dims: [`${role}_axis`],
      values: [0, 1, 2],
      unit: '',
      long_name: `Axis along which the ${role} is read: 0 x, 1 y, 2 z`,
    });
    return addReadoutReferences(
      {
        dims: { control_axis: AXES.length, target_axis: AXES.length },
        coordinates: { control_axis: axis('control'), target_axis: axis('target') },
        variables: { counts: countsVariable(['control_axis', 'target_axis'], counts, 'the Bell state') },
      },
      experiment,
      readout,
    );
  },
};
