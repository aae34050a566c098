import { qubitTask } from '../common/definition/bases.ts';
import { detuningLimits, pulseAmplitudeLimits, pulseLengthLimits } from '../common/definition/limits.ts';
import {
  anharmonicityOutput,
  efFrequencyOutput,
  excitingInputs,
} from '../common/definition/second-transition.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask } from '../model.ts';

export const checkEfSpectroscopy = defineTask({
  ...qubitTask,
  name: 'CheckEFSpectroscopy',
  category: '1Q Fine',
  description:
    'Excites the qubit, sweeps a weak pulse below its frequency and determines the frequency at which it excites the second excited state: the anharmonicity, with the resolution of pulses.',
  inputs: {
    ...excitingInputs,
    anharmonicity: {
      unit: 'GHz',
      valueType: 'float',
      description: 'Known anharmonicity; a line that contradicts it is refused',
      required: false,
    },
  },
  runParameters: {
    distance_range: {
      value: [-0.5, -0.25, 0.001],
      valueType: 'np.arange',
      unit: 'GHz',
      description: 'Frequencies of the pulse, relative to that of the qubit',
      bounds: detuningLimits,
    },
    relative_amplitude: {
      value: 0.1,
      valueType: 'float',
      unit: '',
      description: 'Amplitude of the pulse, as a fraction of the control amplitude',
      bounds: pulseAmplitudeLimits,
    },
    pulse_length: {
      value: 280,
      valueType: 'float',
      unit: 'ns',
      description: 'Length of the flat part of the pulse; a longer pulse gives a narrower line',
      bounds: pulseLengthLimits,
    },
    ...shotsAndInterval(1024),
  },
  outputs: {
    ef_frequency: efFrequencyOutput,
    anharmonicity: anharmonicityOutput('Frequency of the second transition minus that of the first'),
  },
  figures: [{ description: 'Signal against the frequency of the pulse, with the fitted line' }],
  r2Threshold: 0.5,
});
