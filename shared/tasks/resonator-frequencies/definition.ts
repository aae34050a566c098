import { qubitTask } from '../common/definition/bases.ts';
import { frequencyOutput } from '../common/definition/outputs.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import {
  CW_CATEGORY,
  resonatorDesign,
  resonatorSweeps,
  toneAmplitude,
  toneFrequency,
} from '../common/definition/spectroscopy.ts';
import { resonatorFrequencyWander } from '../common/definition/wander.ts';
import { defineTask } from '../model.ts';

export const checkResonatorFrequencies = defineTask({
  ...qubitTask,
  name: 'CheckResonatorFrequencies',
  category: CW_CATEGORY,
  description:
    'Sweeps a weak readout tone over the four resonators of a MUX and identifies that of the qubit.',
  inputs: {
    coarse_resonator_frequency: {
      ...toneFrequency,
      description:
        'Earlier frequency of the resonator, which distinguishes it from others if some are missing',
      required: false,
    },
  },
  runParameters: {
    ...resonatorSweeps,
    ...resonatorDesign,
    readout_amplitude: toneAmplitude(0.005),
    ...shotsAndInterval(4096),
  },
  outputs: {
    coarse_resonator_frequency: {
      ...frequencyOutput('Frequency of the resonator, from one sweep'),
      wander: resonatorFrequencyWander,
    },
  },
  figures: [
    { description: 'Phase against the frequency' },
    { description: 'Absolute value of the phase step from point to point, with the resonators found' },
  ],
});
