import { DEFAULT_SHOTS, type PlainPulse, PULSES_PER_TURN } from '../../science/conventions/pulse.ts';
import { applyPulse, applyPulses, equilibrium, excitedPopulation } from '../../science/device/bloch.ts';
import { readOut } from '../../science/device/readout.ts';
import {
  readoutSettings,
  requireNumber,
  sweepDataset,
  type TaskPhysics,
} from '../common/simulation/physics.ts';
import { withReferenceStates } from '../common/simulation/reference-states.ts';

const MOST_REPETITIONS = 1000;

/** Repeats the calibrated pulse 0, 1, 2, … times; beside it the ground state and the one after half a turn. */
function checkPulsePhysics(pulse: PlainPulse): TaskPhysics {
  return {
    measure(experiment) {
      const { qubit, inputs, run, noise } = experiment;
      const repetitions = requireNumber(run, 'repetitions');
      if (!Number.isSafeInteger(repetitions) || repetitions < 1 || repetitions > MOST_REPETITIONS) {
        throw new Error(`The simulator repeats 1 to ${MOST_REPETITIONS} times, not ${repetitions}.`);
      }
      const flatTop = {
        amplitude: requireNumber(inputs, `${pulse}_amplitude`),
        lengthNs: requireNumber(inputs, `${pulse}_length`),
        detuning: requireNumber(inputs, 'qubit_frequency') - qubit.f01,
      };
      const points = Array.from({ length: repetitions + 1 }, (_, count) => count);
      let state = equilibrium(qubit);
      const populations = points.map((count) => {
        if (count > 0) state = applyPulse(qubit, state, flatTop);
        return excitedPopulation(state);
      });
      const shots = { value: DEFAULT_SHOTS, value_type: 'int', unit: '' };
      const settings = readoutSettings({ ...experiment, run: { shots, ...run } });
      const axis = { name: 'repetition', longName: 'Number of pulses', unit: '', points };
      const dataset = sweepDataset(axis, readOut(qubit, settings, populations, noise));
      const flipped = applyPulses(qubit, equilibrium(qubit), flatTop, PULSES_PER_TURN[pulse] / 2);
      const prepared = [qubit.thermalPopulation, excitedPopulation(flipped)];
      return withReferenceStates(dataset, [0, 1], readOut(qubit, settings, prepared, noise));
    },
  };
}

export const checkHpiPhysics = checkPulsePhysics('hpi');
export const checkPiPhysics = checkPulsePhysics('pi');
