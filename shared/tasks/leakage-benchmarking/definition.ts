import { qubitTask } from '../common/definition/bases.ts';
import { benchmarkSettings } from '../common/definition/benchmarking.ts';
import { shareLimits } from '../common/definition/limits.ts';
import { dragHpiInputs } from '../common/definition/qubit-inputs.ts';
import { efControlAmplitude, efFrequency } from '../common/definition/second-transition.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask, type TaskOutput } from '../model.ts';

/** Further passes take more shots. */
const TIMEOUT = 7200;

function rate(description: string): TaskOutput {
  return { unit: '', valueType: 'float', description, bounds: { ...shareLimits, exclusiveMinimum: true } };
}

export const leakageRandomizedBenchmarking = defineTask({
  ...qubitTask,
  name: 'LeakageRandomizedBenchmarking',
  category: 'Benchmarking',
  description:
    'Plays long random sequences of Cliffords and follows the population of the second excited state: determines the leakage and seepage per Clifford.',
  inputs: {
    ...dragHpiInputs,
    ef_frequency: efFrequency,
    ef_control_amplitude: efControlAmplitude,
    thermal_population: {
      unit: '',
      valueType: 'float',
      description:
        'Probability of finding the undriven qubit excited, which is an admixture of the prepared states',
      required: false,
      bounds: { minimum: 0, maximum: 0.5 },
    },
  },
  runParameters: { ...benchmarkSettings, ...shotsAndInterval(16_384) },
  outputs: {
    leakage_rate: rate('Probability that a Clifford takes the qubit to its second excited state'),
    seepage_rate: rate('Probability that a Clifford, or decay during it, returns it from there'),
  },
  figures: [{ description: 'Population of the second excited state against the number of Cliffords' }],
  r2Threshold: 0.2,
  timeout: TIMEOUT,
});
