import { SIMULATOR_BACKEND } from '../common/definition/backends.ts';
import { DEFAULT_TIMEOUT } from '../common/definition/common.ts';
import { gateTimeInput, inputsOf } from '../common/definition/pair-inputs.ts';
import { gateInputs } from '../cross-resonance/definition.ts';
import type { TaskDefinition } from '../model.ts';
import { coherenceTime } from '../one-qubit-coherence-limit/definition.ts';
import { depolarizingRate, fidelity, interleavedCommon } from '../randomized-benchmarking/definition.ts';

export const zx90InterleavedRandomizedBenchmarking: TaskDefinition = {
  ...interleavedCommon,
  name: 'ZX90InterleavedRandomizedBenchmarking',
  taskType: 'coupling',
  description:
    'Benchmarks random two-qubit Cliffords without and with a ZX90 gate after each; the quotient of both decays is that of the gate.',
  inputs: gateInputs,
  outputs: {
    zx90_gate_fidelity: { ...fidelity('Average fidelity of the ZX90 gate'), role: 'coupling' },
    zx90_depolarizing_rate: {
      ...depolarizingRate('Part of the polarisation that the ZX90 gate itself loses'),
      role: 'coupling',
    },
  },
};

const coherenceTimes = {
  t1_average: coherenceTime('Energy relaxation time, average of several measurements'),
  t2_echo_average: coherenceTime('Coherence time with an echo, average of several measurements'),
};

export const check2QGateCoherenceLimit: TaskDefinition = {
  name: 'Check2QGateCoherenceLimit',
  taskType: 'coupling',
  category: 'Benchmarking',
  description:
    'Computes the fidelity that relaxation and dephasing of both qubits alone leave to the ZX90 gate.',
  backends: [SIMULATOR_BACKEND],
  inputs: {
    ...inputsOf('control', coherenceTimes),
    ...inputsOf('target', coherenceTimes),
    zx90_gate_time: gateTimeInput,
  },
  runParameters: {},
  outputs: {
    two_qubit_gate_coherence_limit: {
      ...fidelity('Largest average fidelity of a two-qubit gate of this length'),
      role: 'coupling',
    },
  },
  figures: [{ description: 'Largest fidelity against the length of the gate, with this gate marked' }],
  scope: 'target',
  kind: 'computed',
  timeout: DEFAULT_TIMEOUT,
  r2Threshold: null,
};
