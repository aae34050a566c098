import { qubitTask } from '../common/definition/bases.ts';
import { positiveLimits } from '../common/definition/limits.ts';
import { frequencyOutput } from '../common/definition/outputs.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { CW_CATEGORY, toneAmplitude, toneFrequency } from '../common/definition/spectroscopy.ts';
import { resonatorFrequencyWander } from '../common/definition/wander.ts';
import { defineTask } from '../model.ts';

export const checkReflectionCoefficient = defineTask({
  ...qubitTask,
  name: 'CheckReflectionCoefficient',
  category: CW_CATEGORY,
  description: 'Sweeps a weak readout tone finely over the resonator and fits its complex reflection.',
  inputs: { readout_frequency: toneFrequency },
  runParameters: {
    frequency_width: {
      value: 0.05,
      valueType: 'float',
      unit: 'GHz',
      description: 'Width of the sweep',
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
    },
    frequency_step: {
      value: 0.0005,
      valueType: 'float',
      unit: 'GHz',
      description: 'Distance of the points',
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
    },
    readout_amplitude: toneAmplitude(0.005),
    ...shotsAndInterval(2048),
  },
  outputs: {
    resonator_frequency: {
      ...frequencyOutput('Frequency of the resonator'),
      wander: resonatorFrequencyWander,
    },
    kappa_external: {
      unit: 'MHz',
      valueType: 'float',
      description: 'Rate at which the resonator leaks into the line',
      bounds: positiveLimits,
    },
    kappa_internal: {
      unit: 'MHz',
      valueType: 'float',
      description: 'Rate at which the resonator loses photons; it may be negative within its error',
    },
  },
  figures: [
    { description: 'Amplitude and phase of the reflection over the frequency with their fit' },
    { description: 'Reflection in the complex plane with its fit' },
  ],
});
