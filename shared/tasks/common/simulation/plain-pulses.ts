import { applyPulses, equilibrium, excitedPopulation } from '../../../science/device/bloch.ts';
import type { Experiment } from './model.ts';
import { requireNumber } from './parameters.ts';

/** A plain pi/2 pulse with the parameters that the task assumes. */
export function plainHpi({ qubit, inputs }: Experiment) {
  return {
    amplitude: requireNumber(inputs, 'hpi_amplitude'),
    lengthNs: requireNumber(inputs, 'hpi_length'),
    detuning: requireNumber(inputs, 'qubit_frequency') - qubit.f01,
  };
}

/** Ground state, and the state after two pi/2 pulses. */
export function hpiReferences(experiment: Experiment): number[] {
  const { qubit } = experiment;
  const excited = applyPulses(qubit, equilibrium(qubit), plainHpi(experiment), 2);
  return [qubit.thermalPopulation, excitedPopulation(excited)];
}
