import { qubitTask } from '../common/definition/bases.ts';
import { dragHpiInputs } from '../common/definition/qubit-inputs.ts';
import { efControlAmplitude, efFrequency } from '../common/definition/second-transition.ts';
import { controlPulseLengths, shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask } from '../model.ts';

/** Half of the population is the most that heat alone excites. */
const HOTTEST = 0.5;

export const checkThermalPopulation = defineTask({
  ...qubitTask,
  name: 'CheckThermalPopulation',
  category: '1Q Fine',
  description:
    'Compares Rabi oscillations of the second transition with and without exciting the qubit before: the smaller one comes from what heat had excited.',
  inputs: {
    ...dragHpiInputs,
    ef_frequency: efFrequency,
    ef_control_amplitude: efControlAmplitude,
  },
  runParameters: { time_range: controlPulseLengths([0, 161, 4]), ...shotsAndInterval(8192) },
  outputs: {
    thermal_population: {
      unit: '',
      valueType: 'float',
      description: 'Probability to find the qubit excited though nothing drove it',
      bounds: { minimum: 0, maximum: HOTTEST },
    },
    effective_temperature: {
      unit: 'mK',
      valueType: 'float',
      description: 'Temperature at which the qubit would be excited so often',
      bounds: { minimum: 0, maximum: 10_000 },
    },
  },
  figures: [{ description: 'Both oscillations, the one without the exciting pulses enlarged' }],
});
