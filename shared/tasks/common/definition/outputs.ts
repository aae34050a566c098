import type { TaskOutput } from '../../model.ts';
import { frequencyLimits, pulseAmplitudeLimits, shareLimits, transmonLimits } from './limits.ts';

/** A frequency in GHz; 0 is never one. */
export function frequencyOutput(description: string): TaskOutput {
  return { unit: 'GHz', valueType: 'float', description, bounds: frequencyLimits };
}

/** The frequency of a qubit, measured well enough to drive it. */
export const qubitFrequencyOutput: TaskOutput = {
  unit: 'GHz',
  valueType: 'float',
  description: 'Frequency of the transition from the ground to the first excited state',
  bounds: transmonLimits,
};

/** An amplitude within the range of the instrument. */
export function amplitudeOutput(description: string): TaskOutput {
  return { unit: 'a.u.', valueType: 'float', description, bounds: pulseAmplitudeLimits };
}

/** A fidelity, from 0 to 1. */
export function fidelityOutput(description: string): TaskOutput {
  return { unit: 'a.u.', valueType: 'float', description, bounds: shareLimits };
}

export const bestReadoutFrequency = frequencyOutput(
  'Readout frequency at which the states are told apart best',
);
