import { SIMULATOR_BACKEND } from '../common/definition/backends.ts';
import { DEFAULT_TIMEOUT } from '../common/definition/common.ts';
import type { TaskDefinition, TaskInput } from '../model.ts';

/** A coherence time in us, as an input. */
export function coherenceTime(description: string): TaskInput {
  return {
    unit: 'us',
    valueType: 'float',
    description,
    required: true,
    bounds: { minimum: 0, exclusiveMinimum: true, maximum: 100_000 },
  };
}

export const check1QGateCoherenceLimit: TaskDefinition = {
  name: 'Check1QGateCoherenceLimit',
  taskType: 'qubit',
  category: 'Benchmarking',
  description: 'Computes the fidelity that relaxation and dephasing alone leave to a one-qubit gate.',
  backends: [SIMULATOR_BACKEND],
  inputs: {
    t1_average: coherenceTime('Energy relaxation time, average of several measurements'),
    t2_echo_average: coherenceTime('Coherence time with an echo, average of several measurements'),
  },
  runParameters: {
    drag_hpi_duration: {
      value: 16,
      valueType: 'float',
      unit: 'ns',
      description: 'Length of the gate',
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 10_000 },
    },
  },
  outputs: {
    one_qubit_gate_coherence_limit: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'Largest average fidelity of a one-qubit gate of this length',
      bounds: { minimum: 0, maximum: 1 },
    },
  },
  figures: [{ description: 'Largest fidelity against the length of the gate, with this gate marked' }],
  scope: 'target',
  kind: 'computed',
  timeout: DEFAULT_TIMEOUT,
  r2Threshold: null,
};
