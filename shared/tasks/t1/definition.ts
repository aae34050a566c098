import { SIMULATOR_BACKEND } from '../common/definition/backends.ts';
import {
  DEFAULT_R2_THRESHOLD,
  DEFAULT_TIMEOUT,
  qubitFrequency,
  readoutInputs,
  shotsAndInterval,
} from '../common/definition/common.ts';
import { timeLimits } from '../common/definition/limits.ts';
import type { TaskDefinition } from '../model.ts';

export const checkT1: TaskDefinition = {
  name: 'CheckT1',
  taskType: 'qubit',
  category: '1Q Coarse',
  description:
    'Excites the qubit, waits for increasing times and fits the exponential decay of its population.',
  backends: [SIMULATOR_BACKEND],
  inputs: {
    qubit_frequency: qubitFrequency,
    hpi_amplitude: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'Amplitude of the pi/2 pulse; two of them excite the qubit',
      required: true,
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
    },
    hpi_length: {
      unit: 'ns',
      valueType: 'float',
      description: 'Length of the pi/2 pulse',
      required: true,
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 10_000 },
    },
    ...readoutInputs,
  },
  runParameters: {
    time_range: {
      value: [Math.log10(100), Math.log10(5e5), 51],
      valueType: 'np.logspace',
      unit: 'ns',
      description: 'Waiting times between excitation and readout',
      bounds: timeLimits,
    },
    ...shotsAndInterval(1024),
  },
  outputs: {
    t1: {
      unit: 'us',
      valueType: 'float',
      description: 'Energy relaxation time',
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 100_000 },
    },
  },
  figures: [{ description: 'Population against the waiting time with its fit' }],
  scope: 'target',
  kind: 'measured',
  timeout: DEFAULT_TIMEOUT,
  r2Threshold: DEFAULT_R2_THRESHOLD,
};
