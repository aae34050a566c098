import { DEFAULT_CONTROL_AMPLITUDE } from '../../../science/conventions/pulse.ts';
import type { TaskInput, TaskOutput } from '../../model.ts';
import { transmonLimits } from './limits.ts';
import {
  CALIBRATED_CONTROL,
  controlAmplitude,
  dragHpiInputs,
  type Inputs,
  TARGET_RABI_FREQUENCY_TEXT,
} from './qubit-inputs.ts';
import { anharmonicityWander, qubitFrequencyWander } from './wander.ts';

/** Description of the frequency of the second transition, as an input and as an output. */
const EF_FREQUENCY = 'Frequency of the transition from the first to the second excited state';

/** A qubit that can be excited, and the amplitude that drives it. */
export const excitingInputs = {
  ...dragHpiInputs,
  control_amplitude: controlAmplitude(CALIBRATED_CONTROL, DEFAULT_CONTROL_AMPLITUDE),
} satisfies Inputs;

export const efFrequency: TaskInput = {
  unit: 'GHz',
  valueType: 'float',
  description: EF_FREQUENCY,
  required: true,
  bounds: transmonLimits,
};

/** Description of the amplitude that drives the second transition, as an input and as an output. */
export const EF_CONTROL_AMPLITUDE = `Amplitude that drives the second transition at a Rabi frequency of ${TARGET_RABI_FREQUENCY_TEXT}`;

export const efControlAmplitude = controlAmplitude(EF_CONTROL_AMPLITUDE);

export const efFrequencyOutput: TaskOutput = {
  unit: 'GHz',
  valueType: 'float',
  description: EF_FREQUENCY,
  bounds: transmonLimits,
  wander: qubitFrequencyWander,
};

/** The frequency of the second transition minus that of the first. */
export function anharmonicityOutput(description: string): TaskOutput {
  return {
    unit: 'GHz',
    valueType: 'float',
    description,
    bounds: { minimum: -1, maximum: -0.05 },
    wander: anharmonicityWander,
  };
}
