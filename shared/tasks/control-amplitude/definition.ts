import { SIMULATOR_BACKEND } from '../common/definition/backends.ts';
import { DEFAULT_R2_THRESHOLD, DEFAULT_TIMEOUT, shotsAndInterval } from '../common/definition/common.ts';
import { amplitudeOutput, CW_CATEGORY } from '../common/definition/spectroscopy.ts';
import type { TaskDefinition } from '../model.ts';
import {
  coarseQubitFrequency,
  spectroscopyInputs,
  spectroscopyReadoutAmplitude,
} from '../qubit-spectroscopy/definition.ts';

export const checkControlAmplitude: TaskDefinition = {
  name: 'CheckControlAmplitude',
  taskType: 'qubit',
  category: CW_CATEGORY,
  description:
    'Sweeps the drive around the qubit: the width of the response gives the Rabi rate, from which the control amplitude is scaled to the target.',
  backends: [SIMULATOR_BACKEND],
  inputs: {
    coarse_qubit_frequency: {
      unit: 'GHz',
      valueType: 'float',
      description: 'Frequency of the qubit as its line shows it',
      required: true,
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 20 },
    },
    ...spectroscopyInputs,
    coarse_control_amplitude: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'Control amplitude to begin with; the result is never below it',
      required: true,
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
    },
  },
  runParameters: {
    frequency_span: {
      value: 0.15,
      valueType: 'float',
      unit: 'GHz',
      description: 'How far the sweep reaches to either side',
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 2 },
    },
    frequency_step: {
      value: 0.0025,
      valueType: 'float',
      unit: 'GHz',
      description: 'Distance of the points',
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
    },
    readout_amplitude: spectroscopyReadoutAmplitude,
    target_rabi_rate: {
      value: 0.0125,
      valueType: 'float',
      unit: 'GHz',
      description: 'Rabi rate to which the control amplitude is scaled',
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
    },
    ...shotsAndInterval(8192),
  },
  outputs: {
    coarse_control_amplitude: amplitudeOutput(
      'Control amplitude for the target Rabi rate, or the one to begin with if larger',
    ),
    coarse_qubit_frequency: coarseQubitFrequency,
  },
  figures: [{ description: 'Response against the drive frequency with its fit' }],
  scope: 'target',
  kind: 'measured',
  timeout: DEFAULT_TIMEOUT,
  r2Threshold: DEFAULT_R2_THRESHOLD,
};
