import { qubitTask } from '../common/definition/bases.ts';
import { amplitudeLimits, positiveLimits } from '../common/definition/limits.ts';
import { amplitudeOutput } from '../common/definition/outputs.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { CW_CATEGORY, toneFrequency } from '../common/definition/spectroscopy.ts';
import { defineTask } from '../model.ts';

export const checkReadoutAmplitude = defineTask({
  ...qubitTask,
  name: 'CheckReadoutAmplitude',
  category: CW_CATEGORY,
  description: 'Increases the readout amplitude until the signal exceeds the noise of a single shot.',
  inputs: { readout_frequency: toneFrequency },
  runParameters: {
    amplitude_range: {
      value: [0, 0.2, 51],
      valueType: 'np.linspace',
      unit: 'a.u.',
      description: 'Readout amplitudes',
      bounds: amplitudeLimits,
    },
    snr_threshold: {
      value: 1,
      valueType: 'float',
      unit: '',
      description: 'Required signal over noise',
      bounds: positiveLimits,
    },
    ...shotsAndInterval(2048),
  },
  outputs: { readout_amplitude: amplitudeOutput('Smallest readout amplitude with enough signal') },
  figures: [{ description: 'Signal, noise and their ratio against the amplitude' }],
  r2Threshold: null,
});
