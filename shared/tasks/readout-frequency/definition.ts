import { SIMULATOR_BACKEND } from '../common/definition/backends.ts';
import {
  DEFAULT_R2_THRESHOLD,
  DEFAULT_TIMEOUT,
  qubitFrequency,
  readoutInputs,
  shotsAndInterval,
} from '../common/definition/common.ts';
import { amplitudeLimits, detuningLimits, timeLimits } from '../common/definition/limits.ts';
import type { TaskDefinition, TaskOutput } from '../model.ts';
import { checkRabi } from '../rabi/definition.ts';

/** The original reads these from the laboratory's own notes; a backend of ours is told them. */
const driveAndReadout = {
  qubit_frequency: qubitFrequency,
  control_amplitude: {
    unit: 'a.u.',
    valueType: 'float',
    description: 'Control amplitude that gives a Rabi frequency of 12.5 MHz',
    required: true,
    fallback: 0.0125,
    bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
  },
  ...readoutInputs,
} as const;

const common = {
  taskType: 'qubit',
  category: '1Q Coarse',
  backends: [SIMULATOR_BACKEND],
  inputs: driveAndReadout,
  scope: 'target',
  kind: 'measured',
  timeout: DEFAULT_TIMEOUT,
  r2Threshold: DEFAULT_R2_THRESHOLD,
} as const;

const frequency: TaskOutput = {
  unit: 'GHz',
  valueType: 'float',
  description: 'Readout frequency at which the states are told apart best',
  bounds: { minimum: 0, exclusiveMinimum: true, maximum: 20 },
};

const { rabi_amplitude, rabi_frequency } = checkRabi.outputs;

export const checkQubit: TaskDefinition = {
  ...common,
  name: 'CheckQubit',
  description: 'Drives the qubit for increasing times and fits the Rabi oscillation: does it answer at all.',
  runParameters: {
    time_range: {
      value: [0, 201, 4],
      valueType: 'range',
      unit: 'ns',
      description: 'Lengths of the control pulse',
      bounds: timeLimits,
    },
    ...shotsAndInterval(1024),
  },
  outputs: {
    ...(rabi_amplitude === undefined ? {} : { rabi_amplitude }),
    ...(rabi_frequency === undefined ? {} : { rabi_frequency }),
  },
  figures: [{ description: 'Oscillation against the pulse length with its fit' }],
};

export const checkReadoutFrequency: TaskDefinition = {
  ...common,
  name: 'CheckReadoutFrequency',
  description:
    'Measures Rabi oscillations at readout frequencies around the believed one and fits their contrast.',
  runParameters: {
    detuning_range: {
      value: [-0.01, 0.01, 21],
      valueType: 'np.linspace',
      unit: 'GHz',
      description: 'Readout frequencies around the believed one',
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
  outputs: { readout_frequency: frequency },
  figures: [{ description: 'Contrast of the oscillation against the readout frequency with its fit' }],
};

export const checkDispersiveShift: TaskDefinition = {
  ...common,
  name: 'CheckDispersiveShift',
  description:
    'Measures the reflection of the resonator for both states of the qubit and fits by how much they differ.',
  runParameters: shotsAndInterval(2048),
  outputs: {
    optimal_readout_frequency: frequency,
    dispersive_shift: {
      unit: 'MHz',
      valueType: 'float',
      description: 'Half the shift of the resonator from the ground to the excited state, with its sign',
    },
  },
  figures: [{ description: 'Phase against the readout frequency for both prepared states, with their fits' }],
};

export const checkOptimalReadoutFrequency: TaskDefinition = {
  ...common,
  name: 'CheckOptimalReadoutFrequency',
  description:
    'Measures the distance of the two states in the IQ plane over 50 MHz and fits where it is largest.',
  runParameters: shotsAndInterval(2048),
  outputs: { readout_frequency: frequency },
  figures: [{ description: 'Distance of the states against the readout frequency with its fit' }],
};

export const checkOptimalReadoutAmplitude: TaskDefinition = {
  ...common,
  name: 'CheckOptimalReadoutAmplitude',
  description:
    'Measures single shots of both states at increasing readout amplitudes and takes the smallest that tells them apart as well as the best.',
  runParameters: {
    amplitude_range: {
      value: [0.01, 0.25, 0.01],
      valueType: 'np.arange',
      unit: 'a.u.',
      description: 'Amplitudes of the readout pulse',
      bounds: amplitudeLimits,
    },
    ...shotsAndInterval(2048),
  },
  outputs: {
    readout_amplitude: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'Smallest readout amplitude with 99 % of the best fidelity',
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
    },
  },
  figures: [
    { description: 'Fidelity against the readout amplitude' },
    { description: 'Single shots prepared in 0, in the IQ plane' },
    { description: 'Single shots prepared in 1, in the IQ plane' },
  ],
  r2Threshold: null,
};
