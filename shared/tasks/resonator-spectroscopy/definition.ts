import { QUBITS_PER_MUX, RESONATOR_ORDERS } from '../../science/conventions/multiplexer.ts';
import { qubitTask } from '../common/definition/bases.ts';
import { positiveLimits, powerLimits } from '../common/definition/limits.ts';
import { amplitudeOutput, frequencyOutput } from '../common/definition/outputs.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import {
  CW_CATEGORY,
  markedAndRaw,
  resonatorDesign,
  resonatorSweeps,
  toneFrequency,
} from '../common/definition/spectroscopy.ts';
import { defineTask } from '../model.ts';

const orders = Object.entries(RESONATOR_ORDERS).map(([name, places]) => `${name} (${places})`);

export const checkResonatorSpectroscopy = defineTask({
  ...qubitTask,
  name: 'CheckResonatorSpectroscopy',
  category: CW_CATEGORY,
  description:
    'Sweeps a readout tone over the four resonators of a MUX at rising power, assigns them to the qubits, and chooses the readout power.',
  inputs: {
    readout_frequency: {
      ...toneFrequency,
      description:
        'Earlier frequency of the resonator, which distinguishes it from others if some are missing',
      required: false,
    },
  },
  runParameters: {
    ...resonatorSweeps,
    power_range: {
      value: [-60, 5, 5],
      valueType: 'np.arange',
      unit: 'dB',
      description: 'Readout powers',
      bounds: powerLimits,
    },
    ...shotsAndInterval(1024),
    num_resonators: {
      value: QUBITS_PER_MUX,
      valueType: 'int',
      unit: '',
      description: 'Resonators on the readout line',
      bounds: { minimum: 1, maximum: 16 },
    },
    resonator_assignment_pattern: {
      value: 'default',
      valueType: 'str',
      unit: '',
      description: `Places on the MUX by rising resonator frequency: ${orders.join(', ')}, or a list such as 3,0,2,1; default uses the wiring of the backend if that defines it`,
      choices: Object.keys(RESONATOR_ORDERS),
      orPlaceOrder: true,
    },
    ...resonatorDesign,
    high_power_min: {
      value: -20,
      valueType: 'float',
      unit: 'dB',
      description: 'Lowest high power, for the estimator config',
      bounds: powerLimits,
    },
    high_power_max: {
      value: 0,
      valueType: 'float',
      unit: 'dB',
      description: 'Highest high power, for the estimator config',
      bounds: powerLimits,
    },
    low_power: {
      value: -30,
      valueType: 'float',
      unit: 'dB',
      description: 'Power at which resonators are in their dressed state, for the estimator config',
      bounds: powerLimits,
    },
    bare_shift_estimator_type: {
      value: 'high_frequency_strength',
      valueType: 'str',
      unit: '',
      description:
        'How high and low powers are distinguished: high_frequency_strength from the data, config by the given powers',
      choices: ['high_frequency_strength', 'config'],
    },
    bare_shift_strength_limit: {
      value: 4,
      valueType: 'float',
      unit: '',
      description:
        'Strength of fast changes in a row below which its resonators can be in their dressed state',
      bounds: positiveLimits,
    },
    minimum_usable_power_correlation_coefficient_min: {
      value: 0.9,
      valueType: 'float',
      unit: '',
      description: 'Correlation with the next higher power that a usable power must have',
      bounds: { minimum: -1, maximum: 1 },
    },
  },
  outputs: {
    readout_frequency: frequencyOutput('Frequency of the resonator with its qubit in the ground state'),
    optimal_power: {
      unit: 'dB',
      valueType: 'float',
      description: 'Power at which the qubit is read out',
      bounds: { minimum: -200, maximum: 0 },
    },
    readout_amplitude: amplitudeOutput('Amplitude of the readout pulse'),
  },
  figures: markedAndRaw,
  scope: 'mux',
});
