import { DRAG_PULSES, type DragPulseName } from '../../science/conventions/drag.ts';
import { DEFAULT_SHOTS } from '../../science/conventions/pulse.ts';
import { equilibrium, excitedPopulation } from '../../science/device/bloch.ts';
import { readOut } from '../../science/device/readout.ts';
import { loadedPulse, play, played, populationAfterPulses } from '../common/simulation/drag-experiment.ts';
import {
  readoutSettings,
  requireNumber,
  sweepDataset,
  type TaskPhysics,
} from '../common/simulation/physics.ts';
import { withReferenceStates } from '../common/simulation/reference-states.ts';

const MOST_REPETITIONS = 1000;

/** Repeats the calibrated DRAG pulse 0, 1, 2, … times; beside it the ground state and the one after half a turn. */
function checkDragPhysics(name: DragPulseName): TaskPhysics {
  return {
    measure(experiment) {
      const { qubit, run, noise } = experiment;
      const repetitions = requireNumber(run, 'repetitions');
      if (!Number.isSafeInteger(repetitions) || repetitions < 1 || repetitions > MOST_REPETITIONS) {
        throw new Error(`The simulator repeats 1 to ${MOST_REPETITIONS} times, not ${repetitions}.`);
      }
      const pulse = played(qubit, loadedPulse(experiment, name));
      const points = Array.from({ length: repetitions + 1 }, (_, count) => count);
      let state = equilibrium(qubit);
      const populations = points.map((count) => {
        if (count > 0) state = play(qubit, state, pulse);
        return excitedPopulation(state);
      });
      const shots = { value: DEFAULT_SHOTS, value_type: 'int', unit: '' };
      const settings = readoutSettings({ ...experiment, run: { shots, ...run } });
      const axis = { name: 'repetition', longName: 'Number of pulses', unit: '', points };
      const dataset = sweepDataset(axis, readOut(qubit, settings, populations, noise));
      const halfTurn = Array.from({ length: Math.PI / DRAG_PULSES[name].angle }, () => pulse);
      const prepared = [qubit.thermalPopulation, populationAfterPulses(qubit, halfTurn)];
      return withReferenceStates(dataset, [0, 1], readOut(qubit, settings, prepared, noise));
    },
  };
}

export const checkDragHpiPhysics = checkDragPhysics('drag_hpi');
export const checkDragPiPhysics = checkDragPhysics('drag_pi');
