import { couplingTask } from '../common/definition/bases.ts';
import { gateTimeInput, inputsOf } from '../common/definition/coupling-values.ts';
import { fidelityOutput } from '../common/definition/outputs.ts';
import { coherenceInputs } from '../common/definition/qubit-inputs.ts';
import { defineTask } from '../model.ts';

export const check2QGateCoherenceLimit = defineTask({
  ...couplingTask,
  name: 'Check2QGateCoherenceLimit',
  category: 'Benchmarking',
  description:
    'Computes the fidelity of the ZX90 gate that is limited only by relaxation and dephasing of both qubits.',
  inputs: {
    ...inputsOf('control', coherenceInputs),
    ...inputsOf('target', coherenceInputs),
    zx90_gate_time: gateTimeInput,
  },
  runParameters: {},
  outputs: {
    two_qubit_gate_coherence_limit: {
      ...fidelityOutput('Largest average fidelity of a two-qubit gate of this length'),
      role: 'coupling',
    },
  },
  figures: [{ description: 'Largest fidelity against the length of the gate, with this gate marked' }],
  kind: 'computed',
  r2Threshold: null,
  goesOnWhenRefused: true,
});
