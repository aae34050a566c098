import {
  expectedPulseAmplitude,
  FULL_SCALE,
  type PlainPulse,
  PULSES_PER_TURN,
} from '../../science/conventions/pulse.ts';
import { applyPulses, equilibrium, excitedPopulation } from '../../science/device/bloch.ts';
import { readOut } from '../../science/device/readout.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { readoutSettings, requireNumber } from '../common/simulation/parameters.ts';
import { withReferenceStates } from '../common/simulation/reference-states.ts';
import { sweepDataset } from '../common/simulation/sweeps.ts';

/** The sweep extends to either side of the expected amplitude by this fraction of it. */
const HALF_WIDTH = 0.5;
const POINTS = 20;

/** Amplitudes around the one expected from the control amplitude, within the range of the instrument. */
function amplitudes(pulse: PlainPulse, controlAmplitude: number, lengthNs: number): number[] {
  const expected = expectedPulseAmplitude(pulse, controlAmplitude, lengthNs);
  if (!(expected > 0)) {
    throw new Error(`The simulator cannot make a pulse of ${lengthNs} ns at the amplitude ${expected}.`);
  }
  const from = Math.min(expected * (1 - HALF_WIDTH), FULL_SCALE / 2);
  const to = Math.min(expected * (1 + HALF_WIDTH), FULL_SCALE);
  return Array.from({ length: POINTS }, (_, index) => from + ((to - from) * index) / (POINTS - 1));
}

/** Drives a full turn with the pulses to calibrate at each amplitude, and measures the ground state. */
function createPulseSimulation(pulse: PlainPulse, duration: string): QubitSimulation {
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

export const createHpiSimulation = createPulseSimulation('hpi', 'hpi_duration');
export const createPiSimulation = createPulseSimulation('pi', 'pi_duration');
