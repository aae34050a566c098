import { couplingTask } from '../common/definition/bases.ts';
import { depolarizingRateOutput, interleavedBenchmark } from '../common/definition/benchmarking.ts';
import { czGateInputs, gateInputs } from '../common/definition/coupling-values.ts';
import { fidelityOutput } from '../common/definition/outputs.ts';
import { defineTask } from '../model.ts';

export const zx90InterleavedRandomizedBenchmarking = defineTask({
  ...couplingTask,
  ...interleavedBenchmark,
  name: 'ZX90InterleavedRandomizedBenchmarking',
  description:
    'Benchmarks random two-qubit Cliffords without and with a ZX90 gate after each; the quotient of both decays is that of the gate.',
  inputs: gateInputs,
  outputs: {
    zx90_gate_fidelity: { ...fidelityOutput('Average fidelity of the ZX90 gate'), role: 'coupling' },
    zx90_depolarizing_rate: {
      ...depolarizingRateOutput('Fraction of the polarisation that the ZX90 gate itself loses'),
      role: 'coupling',
    },
  },
});

export const czInterleavedRandomizedBenchmarking = defineTask({
  ...couplingTask,
  ...interleavedBenchmark,
  name: 'CZInterleavedRandomizedBenchmarking',
  description:
    'Benchmarks random two-qubit Cliffords without and with a CZ gate after each; the quotient of both decays is that of the gate. For pairs with a flux line.',
  inputs: czGateInputs,
  outputs: {
    cz_gate_fidelity: { ...fidelityOutput('Average fidelity of the CZ gate'), role: 'coupling' },
    cz_depolarizing_rate: {
      ...depolarizingRateOutput('Fraction of the polarisation that the CZ gate itself loses'),
      role: 'coupling',
    },
  },
});
