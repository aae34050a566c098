import type { TaskOutput } from '../../model.ts';
import { frequencyLimits, pulseAmplitudeLimits, shareLimits, transmonLimits } from './limits.ts';
import { qubitFrequencyWander, readoutFrequencyWander } from './wander.ts';

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
  wander: qubitFrequencyWander,
};

/** An amplitude within the range of the instrument. */
export function amplitudeOutput(description: string): TaskOutput {
  return { unit: 'a.u.', valueType: 'float', description, bounds: pulseAmplitudeLimits };
}

/** A fidelity, from 0 to 1. */
export function fidelityOutput(description: string): TaskOutput {
  return { unit: 'a.u.', valueType: 'float', description, bounds: shareLimits };
}

/** Part of its angle by which a pulse may turn too far or too little. */
const MOST_ROTATION_ERROR = 0.02;

/** By how much a repeated pulse turns otherwise than meant; of a pi pulse, which hides the sign, the size. */
export function rotationErrorOutput(angle: 'pi/2' | 'pi'): TaskOutput {
  return {
    unit: '',
    valueType: 'float',
    description:
      angle === 'pi'
        ? 'Part of its angle by which each pulse turns too far or too little'
        : 'Part of its angle by which each pulse turns too far, below 0 too little',
    bounds: { minimum: angle === 'pi' ? 0 : -MOST_ROTATION_ERROR, maximum: MOST_ROTATION_ERROR },
  };
}

export const bestReadoutFrequency: TaskOutput = {
  ...frequencyOutput('Readout frequency at which the states are told apart best'),
  wander: readoutFrequencyWander,
};
