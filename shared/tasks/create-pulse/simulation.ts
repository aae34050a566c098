import { expectedPulseAmplitude, type PlainPulse, PULSES_PER_TURN } from '../../science/conventions/pulse.ts';
import { applyPulses, equilibrium, excitedPopulation } from '../../science/device/bloch.ts';
import { readOut } from '../../science/device/readout.ts';
import {
  readoutSettings,
  requireNumber,
  sweepDataset,
  type TaskPhysics,
} from '../common/simulation/physics.ts';
import { withReferenceStates } from '../common/simulation/reference-states.ts';

/** The sweep covers the expected amplitude by this part of it to either side. */
const HALF_WIDTH = 0.5;
const POINTS = 20;
const HIGHEST_AMPLITUDE = 1;

/** Amplitudes around the one that the control amplitude lets expect, inside the range of the instrument. */
function amplitudes(pulse: PlainPulse, controlAmplitude: number, lengthNs: number): number[] {
  const expected = expectedPulseAmplitude(pulse, controlAmplitude, lengthNs);
  if (!(expected > 0)) {
    throw new Error(`The simulator cannot make a pulse of ${lengthNs} ns at the amplitude ${expected}.`);
  }
  const from = Math.min(expected * (1 - HALF_WIDTH), HIGHEST_AMPLITUDE / 2);
  const to = Math.min(expected * (1 + HALF_WIDTH), HIGHEST_AMPLITUDE);
  return Array.from({ length: POINTS }, (_, index) => from + ((to - from) * index) / (POINTS - 1));
}

/** Drives a full turn with the pulses to be calibrated, at each amplitude; beside it the ground state. */
function createPulsePhysics(pulse: PlainPulse, duration: string): TaskPhysics {
  return {
    measure(experiment) {
      const { qubit, inputs, run, noise } = experiment;
      const lengthNs = requireNumber(run, duration);
      const points = amplitudes(pulse, requireNumber(inputs, 'control_amplitude'), lengthNs);
      const detuning = requireNumber(inputs, 'qubit_frequency') - qubit.f01;
      const populations = points.map((amplitude) =>
        excitedPopulation(
          applyPulses(qubit, equilibrium(qubit), { amplitude, lengthNs, detuning }, PULSES_PER_TURN[pulse]),
        ),
      );
      const settings = readoutSettings(experiment);
      const axis = { name: 'amplitude', longName: 'Amplitude of the pulses', unit: 'a.u.', points };
      const dataset = sweepDataset(axis, readOut(qubit, settings, populations, noise));
      const ground = readOut(qubit, settings, [qubit.thermalPopulation], noise);
      return withReferenceStates(dataset, [0], ground);
    },
  };
}

export const createHpiPhysics = createPulsePhysics('hpi', 'hpi_duration');
export const createPiPhysics = createPulsePhysics('pi', 'pi_duration');
