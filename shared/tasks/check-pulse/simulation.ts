import { DEFAULT_SHOTS, type PlainPulse, PULSES_PER_TURN } from '../../science/conventions/pulse.ts';
import { applyPulse, applyPulses, equilibrium, excitedPopulation } from '../../science/device/bloch.ts';
import { readOut } from '../../science/device/readout.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { readoutSettings, repetitionCounts, requireNumber } from '../common/simulation/parameters.ts';
import { withReferenceStates } from '../common/simulation/reference-states.ts';
import { sweepDataset } from '../common/simulation/sweeps.ts';

/** Repeats the calibrated pulse 0, 1, 2, … times, and measures the ground state and the state after half a turn. */
function checkPulseSimulation(pulse: PlainPulse): QubitSimulation {
  return {
    measure(experiment) {
      const { qubit, inputs, run, noise } = experiment;
      const flatTop = {
        amplitude: requireNumber(inputs, `${pulse}_amplitude`),
        lengthNs: requireNumber(inputs, `${pulse}_length`),
        detuning: requireNumber(inputs, 'qubit_frequency') - qubit.f01,
      };
      const points = repetitionCounts(run);
      let state = equilibrium(qubit);
      const populations = points.map((count) => {
        if (count > 0) state = applyPulse(qubit, state, flatTop);
        return excitedPopulation(state);
      });
      const settings = readoutSettings(experiment, DEFAULT_SHOTS);
      const axis = { name: 'repetition', longName: 'Number of pulses', unit: '', points };
      const dataset = sweepDataset(axis, readOut(qubit, settings, populations, noise));
      const flipped = applyPulses(qubit, equilibrium(qubit), flatTop, PULSES_PER_TURN[pulse] / 2);
      const prepared = [qubit.thermalPopulation, excitedPopulation(flipped)];
      return withReferenceStates(dataset, [0, 1], readOut(qubit, settings, prepared, noise));
    },
  };
}

export const checkHpiSimulation = checkPulseSimulation('hpi');
export const checkPiSimulation = checkPulseSimulation('pi');
