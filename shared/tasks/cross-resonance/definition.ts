import { SIMULATOR_BACKEND } from '../common/definition/backends.ts';
import {
  DEFAULT_R2_THRESHOLD,
  DEFAULT_TIMEOUT,
  qubitFrequency,
  readoutInputs,
  shotsAndInterval,
} from '../common/definition/common.ts';
import { dragPulseInputs } from '../common/definition/drag-pulse-inputs.ts';
import {
  crossResonanceInputs,
  crossResonanceOutputs,
  gateTimeOutput,
  inputsOf,
  pairInputs,
} from '../common/definition/pair-inputs.ts';
import type { TaskDefinition } from '../model.ts';

const common = {
  taskType: 'coupling',
  category: '2Q Calibration',
  backends: [SIMULATOR_BACKEND],
  scope: 'target',
  kind: 'measured',
  timeout: DEFAULT_TIMEOUT,
  r2Threshold: DEFAULT_R2_THRESHOLD,
} as const;

/** The tomography of four steps takes longer than any other measurement of a pair. */
const TOMOGRAPHY_TIMEOUT = 1500;

export const checkCrossResonance: TaskDefinition = {
  ...common,
  name: 'CheckCrossResonance',
  description:
    'Drives the control at the frequency of the target and follows the target for both states of the control; turns the phase until ZY vanishes and cancels IX and IY.',
  inputs: pairInputs,
  runParameters: {
    time_range: {
      value: [0, 1001, 20],
      valueType: 'np.arange',
      unit: 'ns',
      description: 'Lengths of the flat part of the cross-resonance pulse',
      bounds: { minimum: 0, maximum: 100_000 },
    },
    cancel_beta: {
      value: 0,
      valueType: 'float',
      unit: 'ns',
      description: 'Weight of the derivative that the cancel tone is given',
      bounds: { minimum: -10, maximum: 10 },
    },
    rotary_amplitude: {
      value: 0,
      valueType: 'float',
      unit: 'a.u.',
      description: 'Amplitude that the rotary tone of the gate is given',
      bounds: { minimum: -1, maximum: 1 },
    },
    ...shotsAndInterval(2048),
  },
  outputs: crossResonanceOutputs,
  figures: [
    { description: 'Coefficients IX, IY, IZ, ZX, ZY, ZZ against the step' },
    ...[1, 2, 3, 4].flatMap((step) => [
      { description: `Step ${step}: polarisation of the control against the length of the pulse` },
      { description: `Step ${step}: Bloch vector of the target against the length, for both control states` },
    ]),
  ],
  timeout: TOMOGRAPHY_TIMEOUT,
};

/** What every task reads that plays the calibrated gate. */
export const gateInputs = { ...pairInputs, ...crossResonanceInputs };

export const createZx90: TaskDefinition = {
  ...common,
  name: 'CreateZX90',
  description:
    'Plays the echoed cross-resonance gate once and three times over its amplitude; where both signals meet the gate turns by pi/2.',
  inputs: gateInputs,
  runParameters: shotsAndInterval(2048),
  outputs: {
    ...crossResonanceOutputs,
    zx90_gate_time: gateTimeOutput,
  },
  figures: [
    { description: 'Signal of the target after one gate against its amplitude' },
    { description: 'Signal of the target after three gates against their amplitude' },
    { description: 'Difference of both with the root of its fit' },
  ],
};

const repetitions = {
  value: 20,
  valueType: 'int',
  unit: '',
  description: 'Largest number of gates',
  bounds: { minimum: 8, maximum: 1000 },
} as const;

export const checkZx90: TaskDefinition = {
  ...common,
  name: 'CheckZX90',
  description:
    'Repeats the ZX90 gate with the control in its ground state: the target follows the pattern 1, 0, -1, 0 and the control stays.',
  inputs: gateInputs,
  runParameters: { repetitions, ...shotsAndInterval(2048) },
  outputs: {},
  figures: [
    { description: 'Normalised signal of the control against the number of gates' },
    { description: 'Normalised signal of the target against the number of gates, with the fitted rotation' },
  ],
};

export const checkBellState: TaskDefinition = {
  ...common,
  name: 'CheckBellState',
  description:
    'Makes a Bell state with the ZX90 gate and counts its four outcomes, as read and with the readout errors taken out.',
  inputs: gateInputs,
  runParameters: shotsAndInterval(2048),
  outputs: {},
  figures: [{ description: 'Populations of 00, 01, 10 and 11, raw and mitigated' }],
  r2Threshold: null,
};

export const checkBellStateTomography: TaskDefinition = {
  ...common,
  name: 'CheckBellStateTomography',
  description:
    'Makes a Bell state with the ZX90 gate, reads it along all nine pairs of axes and reconstructs its density matrix.',
  inputs: gateInputs,
  runParameters: shotsAndInterval(2048),
  outputs: {
    bell_state_fidelity: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'Overlap of the state with the Bell state (00 + 11)/√2, readout errors taken out',
      bounds: { minimum: 0, maximum: 1 },
      role: 'coupling',
    },
  },
  figures: [
    { description: 'Real part of the density matrix' },
    { description: 'Imaginary part of the density matrix' },
  ],
  r2Threshold: null,
};

const hpiInputs = { qubit_frequency: qubitFrequency, ...dragPulseInputs('drag_hpi'), ...readoutInputs };

export const checkStaticZz: TaskDefinition = {
  ...common,
  name: 'CheckStaticZZ',
  description:
    'Ramsey fringes of the target with the control in its ground and in its excited state; their frequencies differ by the static ZZ interaction.',
  inputs: {
    ...inputsOf('control', hpiInputs),
    ...inputsOf('target', hpiInputs),
  },
  runParameters: {
    detuning: {
      value: 0.001,
      valueType: 'float',
      unit: 'GHz',
      description: 'Drive frequency above the believed frequency of the target',
      bounds: { minimum: -1, maximum: 1 },
    },
    time_range: {
      value: [0, 10_001, 100],
      valueType: 'np.arange',
      unit: 'ns',
      description: 'Free time between the pulses',
      bounds: { minimum: 0, maximum: 1_000_000 },
    },
    ...shotsAndInterval(1024),
  },
  outputs: {
    static_zz_interaction: {
      unit: 'GHz',
      valueType: 'float',
      description: 'Size of the shift of one qubit by an excitation of the other, without any drive',
      bounds: { minimum: 0 },
      role: 'coupling',
    },
  },
  figures: [
    { description: 'Fringes of the target with the control in its ground state, with the fit' },
    { description: 'Fringes of the target with the control in its excited state, with the fit' },
  ],
};
