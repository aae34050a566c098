import { qubitTask } from '../common/definition/bases.ts';
import { pulseAmplitudeLimits } from '../common/definition/limits.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import {
  bandSweeps,
  CW_CATEGORY,
  coarseQubitFrequency,
  toneAmplitude,
  toneFrequency,
} from '../common/definition/spectroscopy.ts';
import { defineTask } from '../model.ts';

export const checkQubitFrequencies = defineTask({
  ...qubitTask,
  name: 'CheckQubitFrequencies',
  category: CW_CATEGORY,
  description: 'Sweeps a drive of one power over the band and finds the line of the qubit.',
  inputs: { readout_frequency: toneFrequency },
  runParameters: {
    ...bandSweeps('Drive frequencies', { high: [6.5, 9.5, 0.005], low: [3, 5, 0.005] }),
    control_amplitude: {
      value: 0.03,
      valueType: 'float',
      unit: 'a.u.',
      description: 'Amplitude of the drive',
      bounds: pulseAmplitudeLimits,
    },
    readout_amplitude: toneAmplitude(),
    ...shotsAndInterval(4096),
  },
  outputs: { coarse_qubit_frequency: coarseQubitFrequency },
  figures: [{ description: 'Amplitude and phase of the readout tone against the drive frequency' }],
  r2Threshold: null,
});
