import { qubitTask } from '../common/definition/bases.ts';
import { dragHpiInputs } from '../common/definition/qubit-inputs.ts';
import { efControlAmplitude, efFrequency } from '../common/definition/second-transition.ts';
import { controlPulseLengths, shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask } from '../model.ts';

/** Maximum thermal population: heat alone excites at most half of the shots. */
const HOTTEST = 0.5;

export const checkThermalPopulation = defineTask({
  ...qubitTask,
  name: 'CheckThermalPopulation',
  category: '1Q Fine',
  description:
    'Compares Rabi oscillations of the second transition with and without exciting the qubit first: the smaller one comes from the thermal population.',
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
      description: 'Probability of finding the undriven qubit excited',
      bounds: { minimum: 0, maximum: HOTTEST },
    },
    effective_temperature: {
      unit: 'mK',
      valueType: 'float',
      description: 'Temperature that corresponds to this population',
      bounds: { minimum: 0, maximum: 10_000 },
    },
  },
  figures: [{ description: 'Both oscillations; the one without the exciting pulses is enlarged' }],
});
