import { averageOf } from '../common/definition/average.ts';
import { coherenceTask } from '../common/definition/bases.ts';
import {
  coherenceTimeLimits,
  pulseAmplitudeLimits,
  pulseLengthLimits,
  timeLimits,
} from '../common/definition/limits.ts';
import { qubitFrequency, readoutInputs } from '../common/definition/qubit-inputs.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { coherenceWander } from '../common/definition/wander.ts';
import { defineTask } from '../model.ts';

export const checkT1 = defineTask({
  ...coherenceTask,
  name: 'CheckT1',
  category: '1Q Coarse',
  description:
    'Excites the qubit, waits for increasing times and fits the exponential decay of its population.',
  inputs: {
    qubit_frequency: qubitFrequency,
    hpi_amplitude: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'Amplitude of the pi/2 pulse; two of them excite the qubit',
      required: true,
      bounds: pulseAmplitudeLimits,
    },
    hpi_length: {
      unit: 'ns',
      valueType: 'float',
      description: 'Length of the pi/2 pulse',
      required: true,
      bounds: pulseLengthLimits,
    },
    ...readoutInputs,
  },
  runParameters: {
    time_range: {
      value: [Math.log10(100), Math.log10(5e5), 51],
      valueType: 'np.logspace',
      unit: 'ns',
      description: 'Waiting times between excitation and readout; start and stop are powers of ten',
      bounds: timeLimits,
    },
    ...shotsAndInterval(1024),
  },
  outputs: {
    t1: {
      unit: 'us',
      valueType: 'float',
      description: 'Energy relaxation time: the time after which 1/e of the excited population remains',
      bounds: coherenceTimeLimits,
      wander: coherenceWander,
    },
    t1_residual: {
      unit: 'us',
      valueType: 'float',
      description: 'Relaxation time without quasiparticles, if the decay has two rates',
      bounds: coherenceTimeLimits,
      optional: true,
    },
    t1_quasiparticles: {
      unit: '',
      valueType: 'float',
      description: 'Mean number of quasiparticles that relax the qubit, if the decay has two rates',
      bounds: { minimum: 0 },
      optional: true,
    },
  },
  figures: [{ description: 'Population against the waiting time with its fit' }],
});

export const checkT1Average = defineTask({
  ...averageOf(checkT1, { output: 't1_average', spread: 't1_std', symbol: 'T1' }),
  name: 'CheckT1Average',
  description: 'Measures T1 several times and averages; reports how much it fluctuates.',
});
