import { SIMULATOR_BACKEND } from '../common/definition/backends.ts';
import {
  DEFAULT_R2_THRESHOLD,
  DEFAULT_TIMEOUT,
  qubitFrequency,
  readoutInputs,
  shotsAndInterval,
} from '../common/definition/common.ts';
import { timeLimits } from '../common/definition/limits.ts';
import { plainPulseInputs } from '../common/definition/plain-pulse-inputs.ts';
import type { TaskDefinition } from '../model.ts';

export const checkRamsey: TaskDefinition = {
  name: 'CheckRamsey',
  taskType: 'qubit',
  category: '1Q Coarse',
  description:
    'Lets the qubit precess between two detuned pi/2 pulses, measures both axes of the equator and fits the fringes; corrects the qubit frequency.',
  backends: [SIMULATOR_BACKEND],
  inputs: { qubit_frequency: qubitFrequency, ...plainPulseInputs('hpi'), ...readoutInputs },
  runParameters: {
    detuning: {
      value: 0.001,
      valueType: 'float',
      unit: 'GHz',
      description: 'Drive frequency above the believed qubit frequency',
      bounds: { minimum: -1, maximum: 1 },
    },
    time_range: {
      value: [0, 10_001, 100],
      valueType: 'np.arange',
      unit: 'ns',
      description: 'Free time between the pulses',
      bounds: timeLimits,
    },
    ...shotsAndInterval(1024),
  },
  outputs: {
    ramsey_frequency: {
      unit: 'MHz',
      valueType: 'float',
      description: 'Frequency of the fringes: the drive frequency less the true one, with its sign',
    },
    qubit_frequency: {
      unit: 'GHz',
      valueType: 'float',
      description: 'Frequency of the transition from the ground to the first excited state',
      bounds: { minimum: 2.5, maximum: 20 },
    },
    t2_star: {
      unit: 'us',
      valueType: 'float',
      description: 'Coherence time without an echo',
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 100_000 },
    },
  },
  figures: [
    { description: 'Fringe along X against the free time with the fit' },
    { description: 'Fringe along Y against the free time with the fit' },
    { description: 'Both fringes in the XY plane: the spiral of the precession' },
  ],
  scope: 'target',
  kind: 'measured',
  timeout: DEFAULT_TIMEOUT,
  r2Threshold: DEFAULT_R2_THRESHOLD,
};
