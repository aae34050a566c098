import { SIMULATOR_BACKEND } from '../common/definition/backends.ts';
import {
  DEFAULT_R2_THRESHOLD,
  DEFAULT_TIMEOUT,
  qubitFrequency,
  readoutInputs,
  shotsAndInterval,
} from '../common/definition/common.ts';
import { detuningLimits, timeLimits } from '../common/definition/limits.ts';
import type { TaskDefinition, TaskInput, TaskOutput, TaskRunParameter } from '../model.ts';

/** Seconds that a chevron with its search may take. */
const CHEVRON_TIMEOUT = 14_400;

const coarseQubitFrequency: TaskInput = {
  ...qubitFrequency,
  description: 'Qubit frequency as spectroscopy found it',
};

/** An amplitude with the fallback of the coarse chevrons. */
function driveAmplitude(description: string): TaskInput {
  return { unit: 'a.u.', valueType: 'float', description, required: true, fallback: 0.0625 };
}

const controlAmplitude: TaskInput = {
  ...driveAmplitude('Amplitude of the control pulse'),
  bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
};

const readoutAmplitude: TaskRunParameter = {
  value: 0.2,
  valueType: 'float',
  unit: 'a.u.',
  description: 'Amplitude of the readout pulse for this measurement; null takes the stored one',
  bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
};

/** The vertex of the chevron. */
const resonance: TaskOutput = {
  unit: 'GHz',
  valueType: 'float',
  description: 'Frequency of the transition from the ground to the first excited state',
  bounds: { minimum: 2.5, maximum: 20 },
};

const drive: TaskOutput = {
  unit: 'a.u.',
  valueType: 'float',
  description: 'Control amplitude that gives a Rabi frequency of 12.5 MHz',
  bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
};

const readout: TaskOutput = {
  unit: 'a.u.',
  valueType: 'float',
  description: 'Amplitude of the readout pulse that the chevron was read out with',
  bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
};

const figures = [
  { description: 'Signal against drive frequency and pulse length', role: 'raw' },
  { description: 'The same with the fitted resonance', role: 'marked' },
] as const;

const common = {
  taskType: 'qubit',
  category: '1Q Coarse',
  backends: [SIMULATOR_BACKEND],
  scope: 'target',
  kind: 'measured',
  timeout: CHEVRON_TIMEOUT,
  r2Threshold: DEFAULT_R2_THRESHOLD,
} as const;

export const checkChevron: TaskDefinition = {
  ...common,
  name: 'CheckChevron',
  description:
    'Searches the chevron around the coarse qubit frequency, measures it finely around its vertex and fits frequency and control amplitude.',
  inputs: {
    coarse_qubit_frequency: coarseQubitFrequency,
    coarse_control_amplitude: driveAmplitude(
      'Control amplitude from spectroscopy; 0.0625 takes its place outside of 0.0001 to 1',
    ),
    ...readoutInputs,
  },
  runParameters: {},
  outputs: { qubit_frequency: resonance, control_amplitude: drive },
  figures: [...figures, { description: 'The rough chevron of the search' }],
};

export const checkCoarseChevron: TaskDefinition = {
  ...common,
  name: 'CheckCoarseChevron',
  description: 'Measures the chevron within 75 MHz of the coarse qubit frequency and fits its vertex.',
  inputs: {
    coarse_qubit_frequency: coarseQubitFrequency,
    control_amplitude: controlAmplitude,
    ...readoutInputs,
  },
  runParameters: { readout_amplitude: readoutAmplitude },
  outputs: { qubit_frequency: resonance, control_amplitude: drive, readout_amplitude: readout },
  figures,
};

export const checkFineChevron: TaskDefinition = {
  ...common,
  name: 'CheckFineChevron',
  description: 'Measures the chevron within 10 MHz of the qubit frequency and fits its vertex.',
  inputs: { qubit_frequency: qubitFrequency, control_amplitude: controlAmplitude, ...readoutInputs },
  runParameters: { readout_amplitude: readoutAmplitude },
  outputs: { qubit_frequency: resonance, control_amplitude: drive, readout_amplitude: readout },
  figures,
};

export const checkQubitFrequency: TaskDefinition = {
  ...common,
  name: 'CheckQubitFrequency',
  description:
    'Measures Rabi oscillations around the believed qubit frequency and fits the vertex of their chevron.',
  inputs: {
    qubit_frequency: qubitFrequency,
    control_amplitude: { ...controlAmplitude, fallback: 0.0125 },
    ...readoutInputs,
  },
  runParameters: {
    detuning_range: {
      value: [-0.01, 0.01, 21],
      valueType: 'np.linspace',
      unit: 'GHz',
      description: 'Drive frequencies around the believed one',
      bounds: detuningLimits,
    },
    time_range: {
      value: [0, 101, 4],
      valueType: 'range',
      unit: 'ns',
      description: 'Lengths of the control pulse',
      bounds: timeLimits,
    },
    ...shotsAndInterval(1024),
  },
  outputs: { qubit_frequency: resonance },
  figures: [
    { description: 'Signal against drive frequency and pulse length, with the resonance', role: 'marked' },
  ],
  timeout: DEFAULT_TIMEOUT,
};
