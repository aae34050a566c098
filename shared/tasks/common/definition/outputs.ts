import type { TaskOutput } from '../../model.ts';
import { frequencyLimits, pulseAmplitudeLimits, shareLimits, transmonLimits } from './limits.ts';
import { qubitFrequencyWander, readoutFrequencyWander } from './wander.ts';

/** A frequency in GHz, never 0. */
export function frequencyOutput(description: string): TaskOutput {
  return { unit: 'GHz', valueType: 'float', description, bounds: frequencyLimits };
}

/** The frequency of a qubit, accurate enough to drive it. */
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

/** Maximum relative error of a pulse's rotation angle. */
const MAX_ROTATION_ERROR = 0.02;

/** Deviation of a repeated pulse's rotation from the intended one; for a pi pulse, which hides the sign, its absolute value. */
export function rotationErrorOutput(angle: 'pi/2' | 'pi'): TaskOutput {
  return {
    unit: '',
    valueType: 'float',
    description:
      angle === 'pi'
        ? "Relative error of each pulse's rotation angle, as an absolute value"
        : "Relative error of each pulse's rotation angle; negative if it rotates too little",
    bounds: { minimum: angle === 'pi' ? 0 : -MAX_ROTATION_ERROR, maximum: MAX_ROTATION_ERROR },
  };
}

export const bestReadoutFrequency: TaskOutput = {
  ...frequencyOutput('Readout frequency with the largest contrast of the states'),
  wander: readoutFrequencyWander,
};
