import { ALL_XY_PAIRS, type AllXyPulse } from '../../science/conventions/all-xy.ts';
import { equilibrium, excitedPopulation } from '../../science/device/bloch.ts';
import { readOut } from '../../science/device/readout.ts';
import { IDENTITY, withPhase } from '../../science/quantum/rotations.ts';
import { loadedPulse, type PlayedPulse, play, played } from '../common/simulation/drag-experiment.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { readoutSettings } from '../common/simulation/parameters.ts';
import { addScaleReferences } from '../common/simulation/scale-references.ts';
import { sweepDataset } from '../common/simulation/sweeps.ts';

/**
 * Plays both pulses of each pair one after the other, starting from equilibrium. Also measures both prepared states,
 * which scale the signals.
 */
export const allXySimulation: QubitSimulation = {
  measure(experiment) {
    const { qubit, noise } = experiment;
    const halfTurn = loadedPulse(experiment, 'drag_pi');
    const [half, quarter] = [played(qubit, halfTurn), played(qubit, loadedPulse(experiment, 'drag_hpi'))];
    const aboutY = ({ rotation, lengthNs }: PlayedPulse): PlayedPulse => ({
      rotation: withPhase(rotation, Math.PI / 2),
      lengthNs,
    });
    const pulses: Record<AllXyPulse, PlayedPulse> = {
      I: { rotation: IDENTITY, lengthNs: half.lengthNs },
      X: half,
      Y: aboutY(half),
      x: quarter,
      y: aboutY(quarter),
    };
    const populations = ALL_XY_PAIRS.map((pair) =>
      excitedPopulation(pair.reduce((state, name) => play(qubit, state, pulses[name]), equilibrium(qubit))),
    );
    const axis = {
      name: 'pair',
      longName: 'Number of the pair of pulses',
      unit: '',
      points: ALL_XY_PAIRS.map((_, place) => place),
    };
    const signals = readOut(qubit, readoutSettings(experiment), populations, noise);
    return addScaleReferences(sweepDataset(axis, signals), experiment, halfTurn, 1);
  },
};
