import type { TaskInput, TaskRunParameter } from '../../model.ts';

/** Seconds a measurement may take when its task needs no more. */
export const DEFAULT_TIMEOUT = 3600;
/** A fit with r2 at or below this fails, unless the task says otherwise. */
export const DEFAULT_R2_THRESHOLD = 0.7;

export const qubitFrequency: TaskInput = {
  unit: 'GHz',
  valueType: 'float',
  description: 'Frequency of the transition from the ground to the first excited state',
  required: true,
  bounds: { minimum: 0, exclusiveMinimum: true, maximum: 20 },
};

/** How the qubit is read out. `readout_frequency` has no sensible fallback: a wrong one reads nothing. */
export const readoutInputs: Readonly<Record<string, TaskInput>> = {
  readout_frequency: {
    unit: 'GHz',
    valueType: 'float',
    description: 'Frequency of the readout pulse',
    required: true,
    bounds: { minimum: 0, exclusiveMinimum: true, maximum: 20 },
  },
  readout_amplitude: {
    unit: 'a.u.',
    valueType: 'float',
    description: 'Amplitude of the readout pulse',
    required: true,
    fallback: 0.2,
    bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
  },
  readout_length: {
    unit: 'ns',
    valueType: 'float',
    description: 'Length of the readout pulse',
    required: true,
    fallback: 384,
    bounds: { minimum: 0, exclusiveMinimum: true, maximum: 100_000 },
  },
};

/** The two settings that every averaged measurement has: repetitions and the time between their starts. */
export function shotsAndInterval(shots: number): Readonly<Record<string, TaskRunParameter>> {
  return {
    shots: {
      value: shots,
      valueType: 'int',
      unit: '',
      description: 'Repetitions averaged for each point',
      bounds: { minimum: 1, maximum: 1_000_000 },
    },
    interval: {
      value: 153_600,
      valueType: 'int',
      unit: 'ns',
      description: 'Time between the starts of two repetitions',
      bounds: { minimum: 1 },
    },
  };
}
