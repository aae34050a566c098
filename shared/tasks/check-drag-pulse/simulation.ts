import { DRAG_PULSES, type DragPulseName } from '../../science/conventions/drag.ts';
import { DEFAULT_SHOTS } from '../../science/conventions/pulse.ts';
import { equilibrium, excitedPopulation } from '../../science/device/bloch.ts';
import { readOut } from '../../science/device/readout.ts';
import { loadedPulse, play, played, populationAfterPulses } from '../common/simulation/drag-experiment.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { readoutSettings, repetitionCounts } from '../common/simulation/parameters.ts';
import { withReferenceStates } from '../common/simulation/reference-states.ts';
import { sweepDataset } from '../common/simulation/sweeps.ts';

/**
 * Repeats the calibrated DRAG pulse 0, 1, 2, … times, and measures the ground state and the state after half a turn.
 */
function checkDragSimulation(name: DragPulseName): QubitSimulation {
  return {
    measure(experiment) {
      const { qubit, run, noise } = experiment;
      const pulse = played(qubit, loadedPulse(experiment, name));
      const points = repetitionCounts(run);
      let state = equilibrium(qubit);
      const populations = points.map((count) => {
        if (count > 0) state = play(qubit, state, pulse);
        return excitedPopulation(state);
      });
      const settings = readoutSettings(experiment, DEFAULT_SHOTS);
      const axis = { name: 'repetition', longName: 'Number of pulses', unit: '', points };
      const dataset = sweepDataset(axis, readOut(qubit, settings, populations, noise));
      const halfTurn = Array.from({ length: Math.PI / DRAG_PULSES[name].angle }, () => pulse);
      const prepared = [qubit.thermalPopulation, populationAfterPulses(qubit, halfTurn)];
      return withReferenceStates(dataset, [0, 1], readOut(qubit, settings, prepared, noise));
    },
  };
}

export const checkDragHpiSimulation = checkDragSimulation('drag_hpi');
export const checkDragPiSimulation = checkDragSimulation('drag_pi');
