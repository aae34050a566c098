import { SIMULATOR_BACKEND } from '../common/definition/backends.ts';
import {
  DEFAULT_TIMEOUT,
  qubitFrequency,
  readoutInputs,
  shotsAndInterval,
} from '../common/definition/common.ts';
import { timeLimits } from '../common/definition/limits.ts';
import type { TaskDefinition } from '../model.ts';

export const checkRabi: TaskDefinition = {
  name: 'CheckRabi',
  taskType: 'qubit',
  category: '1Q Coarse',
  description:
    'Drives the qubit for increasing times and fits the Rabi oscillation; rescales the control amplitude to a Rabi frequency of 12.5 MHz.',
  backends: [SIMULATOR_BACKEND],
  inputs: {
    qubit_frequency: qubitFrequency,
    control_amplitude: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'Amplitude of the control pulse',
      required: true,
      fallback: 0.0125,
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
    },
    ...readoutInputs,
  },
  runParameters: {
    time_range: {
      value: [0, 401, 8],
      valueType: 'range',
      unit: 'ns',
      description: 'Lengths of the control pulse',
      bounds: timeLimits,
    },
    ...shotsAndInterval(2048),
  },
  outputs: {
    rabi_amplitude: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'Half the swing of the oscillation in the IQ plane',
      bounds: { minimum: 0, exclusiveMinimum: true },
    },
    rabi_frequency: {
      unit: 'MHz',
      valueType: 'float',
      description: 'Frequency of the oscillation',
      bounds: { minimum: 0, exclusiveMinimum: true },
    },
    rabi_phase: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'Phase of the oscillation at zero pulse length, in radians',
    },
    rabi_offset: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'Centre of the oscillation on its axis in the IQ plane',
    },
    rabi_angle: {
      unit: 'degree',
      valueType: 'float',
      description: 'Direction of the oscillation in the IQ plane, towards the state it starts from',
    },
    rabi_noise: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'Standard deviation across the axis of the oscillation',
      bounds: { minimum: 0 },
    },
    rabi_distance: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'Signed distance of the axis of the oscillation from the origin of the IQ plane',
    },
    rabi_reference_phase: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'Phase in the IQ plane of the point where the oscillation starts, in radians',
    },
    control_amplitude: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'Control amplitude that gives a Rabi frequency of 12.5 MHz',
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
    },
    maximum_rabi_frequency: {
      unit: 'MHz/a.u.',
      valueType: 'float',
      description: 'Rabi frequency per control amplitude',
      bounds: { minimum: 0, exclusiveMinimum: true },
    },
  },
  figures: [
    { description: 'Oscillation against the pulse length with its fit' },
    { description: 'The same points in the IQ plane' },
  ],
  scope: 'target',
  kind: 'measured',
  timeout: DEFAULT_TIMEOUT,
  r2Threshold: 0.6,
};
