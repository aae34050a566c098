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

export const checkT2Echo: TaskDefinition = {
  name: 'CheckT2Echo',
  taskType: 'qubit',
  category: '1Q Coarse',
  description:
    'Brings the qubit to the equator, flips it halfway through increasing times and fits the decay of the echo.',
  backends: [SIMULATOR_BACKEND],
  inputs: { qubit_frequency: qubitFrequency, ...plainPulseInputs('hpi'), ...readoutInputs },
  runParameters: {
    time_range: {
      value: [Math.log10(300), 5, 51],
      valueType: 'np.logspace',
      unit: 'ns',
      description: 'Total free time, half of it before and half after the flip',
      bounds: timeLimits,
    },
    ...shotsAndInterval(1024),
  },
  outputs: {
    t2_echo: {
      unit: 'us',
      valueType: 'float',
      description: 'Coherence time with an echo',
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 100_000 },
    },
  },
  figures: [{ description: 'Population against the free time with its fit' }],
  scope: 'target',
  kind: 'measured',
  timeout: DEFAULT_TIMEOUT,
  r2Threshold: DEFAULT_R2_THRESHOLD,
};
