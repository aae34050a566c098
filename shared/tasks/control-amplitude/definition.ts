import { TARGET_RABI_FREQUENCY_GHZ } from '../../science/conventions/pulse.ts';
import { qubitTask } from '../common/definition/bases.ts';
import { frequencyLimits } from '../common/definition/limits.ts';
import { amplitudeOutput } from '../common/definition/outputs.ts';
import { controlAmplitude } from '../common/definition/qubit-inputs.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import {
  CW_CATEGORY,
  coarseQubitFrequency,
  spectroscopyInputs,
  toneAmplitude,
} from '../common/definition/spectroscopy.ts';
import { defineTask } from '../model.ts';

export const checkControlAmplitude = defineTask({
  ...qubitTask,
  name: 'CheckControlAmplitude',
  category: CW_CATEGORY,
  description:
    'Sweeps the drive around the qubit: the width of the response gives the Rabi rate, from which the control amplitude is scaled to the target.',
  inputs: {
    coarse_qubit_frequency: {
      unit: 'GHz',
      valueType: 'float',
      description: 'Frequency of the qubit from its line',
      required: true,
      bounds: frequencyLimits,
    },
    ...spectroscopyInputs,
    coarse_control_amplitude: controlAmplitude('Initial control amplitude; the result is never below it'),
  },
  runParameters: {
    frequency_span: {
      value: 0.15,
      valueType: 'float',
      unit: 'GHz',
      description: 'Range of the sweep on either side',
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 2 },
    },
    frequency_step: {
      value: 0.0025,
      valueType: 'float',
      unit: 'GHz',
      description: 'Distance of the points',
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
    },
    readout_amplitude: toneAmplitude(),
    target_rabi_rate: {
      value: TARGET_RABI_FREQUENCY_GHZ,
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
});
