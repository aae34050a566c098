import { SIMULATOR_BACKEND } from '../common/definition/backends.ts';
import {
  DEFAULT_R2_THRESHOLD,
  DEFAULT_TIMEOUT,
  qubitFrequency,
  readoutInputs,
  shotsAndInterval,
} from '../common/definition/common.ts';
import { dragPulseInputs } from '../common/definition/drag-pulse-inputs.ts';
import type { TaskDefinition, TaskOutput } from '../model.ts';

const INTERLEAVED_TIMEOUT = 1800;

const common = {
  taskType: 'qubit',
  category: 'Benchmarking',
  backends: [SIMULATOR_BACKEND],
  runParameters: {
    n_trials: {
      value: 10,
      valueType: 'int',
      unit: '',
      description: 'Random sequences of each length',
      bounds: { minimum: 3, maximum: 100 },
    },
    ...shotsAndInterval(2048),
  },
  scope: 'target',
  kind: 'measured',
  r2Threshold: DEFAULT_R2_THRESHOLD,
} as const;

export function fidelity(description: string): TaskOutput {
  return { unit: 'a.u.', valueType: 'float', description, bounds: { minimum: 0, maximum: 1 } };
}

export function depolarizingRate(description: string): TaskOutput {
  return {
    unit: 'a.u.',
    valueType: 'float',
    description,
    bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
  };
}

export const randomizedBenchmarking: TaskDefinition = {
  ...common,
  name: 'RandomizedBenchmarking',
  description:
    'Plays random sequences of Cliffords that should end where they began, and fits the decay of the survival with their length.',
  inputs: { qubit_frequency: qubitFrequency, ...dragPulseInputs('drag_hpi'), ...readoutInputs },
  outputs: {
    average_gate_fidelity: fidelity('Average fidelity of a Clifford'),
    depolarizing_rate: depolarizingRate('Part of the polarisation that a Clifford loses'),
  },
  figures: [{ description: 'Survival against the number of Cliffords with its fit' }],
  timeout: DEFAULT_TIMEOUT,
};

/** What the interleaved benchmarks of one and of two qubits have in common. */
export const interleavedCommon = {
  ...common,
  figures: [{ description: 'Survival against the number of Cliffords, without and with the gate' }],
  timeout: INTERLEAVED_TIMEOUT,
};

function interleaved(
  name: string,
  gate: 'x90' | 'x180',
  pulses: readonly ('drag_hpi' | 'drag_pi')[],
): TaskDefinition {
  const label = gate.toUpperCase();
  return {
    ...interleavedCommon,
    name,
    description: `Benchmarks random Cliffords without and with an ${label} gate after each; the quotient of both decays is that of the gate.`,
    inputs: {
      qubit_frequency: qubitFrequency,
      ...Object.assign({}, ...pulses.map(dragPulseInputs)),
      ...readoutInputs,
    },
    outputs: {
      [`${gate}_gate_fidelity`]: fidelity(`Average fidelity of the ${label} gate`),
      [`${gate}_depolarizing_rate`]: depolarizingRate(
        `Part of the polarisation that the ${label} gate itself loses`,
      ),
    },
  };
}

export const x90InterleavedRandomizedBenchmarking = interleaved(
  'X90InterleavedRandomizedBenchmarking',
  'x90',
  ['drag_hpi'],
);
export const x180InterleavedRandomizedBenchmarking = interleaved(
  'X180InterleavedRandomizedBenchmarking',
  'x180',
  ['drag_hpi', 'drag_pi'],
);
