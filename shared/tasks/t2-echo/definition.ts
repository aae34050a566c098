import { averageOf } from '../common/definition/average.ts';
import { coherenceTask } from '../common/definition/bases.ts';
import { coherenceTimeLimits, timeLimits } from '../common/definition/limits.ts';
import { plainPulseInputs, qubitFrequency, readoutInputs } from '../common/definition/qubit-inputs.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { coherenceWander } from '../common/definition/wander.ts';
import { defineTask } from '../model.ts';

export const checkT2Echo = defineTask({
  ...coherenceTask,
  name: 'CheckT2Echo',
  category: '1Q Coarse',
  description:
    'Brings the qubit to the equator, flips it midway through increasing times and fits the decay of the echo.',
  inputs: { qubit_frequency: qubitFrequency, ...plainPulseInputs('hpi'), ...readoutInputs },
  runParameters: {
    time_range: {
      value: [Math.log10(300), 5, 51],
      valueType: 'np.logspace',
      unit: 'ns',
      description:
        'Total free time, half of it before and half after the flip; start and stop are powers of ten',
      bounds: timeLimits,
    },
    ...shotsAndInterval(1024),
  },
  outputs: {
    t2_echo: {
      unit: 'us',
      valueType: 'float',
      description: 'Coherence time with an echo: the time after which 1/e of the coherence remains',
      bounds: coherenceTimeLimits,
      wander: coherenceWander,
    },
    t2_echo_exponent: {
      unit: '',
      valueType: 'float',
      description: 'Exponent n of the decay e^(-(t/T2)^n), if it is not exponential',
      bounds: { minimum: 0 },
      optional: true,
    },
  },
  figures: [{ description: 'Population against the free time with its fit' }],
});

export const checkT2EchoAverage = defineTask({
  ...averageOf(checkT2Echo, { output: 't2_echo_average', spread: 't2_echo_std', symbol: 'T2 echo' }),
  name: 'CheckT2EchoAverage',
  description: 'Measures T2 with an echo several times and averages; reports how much it fluctuates.',
});
