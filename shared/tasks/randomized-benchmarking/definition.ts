import type { DragPulseName } from '../../science/conventions/drag.ts';
import { qubitTask } from '../common/definition/bases.ts';
import {
  benchmarkSettings,
  depolarizingRateOutput,
  interleavedBenchmark,
} from '../common/definition/benchmarking.ts';
import { fidelityOutput } from '../common/definition/outputs.ts';
import {
  dragHpiInputs,
  dragPulseInputs,
  qubitFrequency,
  readoutInputs,
} from '../common/definition/qubit-inputs.ts';
import { defineTask } from '../model.ts';

export const randomizedBenchmarking = defineTask({
  ...qubitTask,
  name: 'RandomizedBenchmarking',
  category: 'Benchmarking',
  description:
    'Plays random sequences of Cliffords that ideally return to the initial state, and fits the decay of the survival with their length.',
  inputs: dragHpiInputs,
  runParameters: benchmarkSettings,
  outputs: {
    average_gate_fidelity: fidelityOutput('Average fidelity of a Clifford'),
    depolarizing_rate: depolarizingRateOutput('Fraction of the polarisation that a Clifford loses'),
  },
  figures: [{ description: 'Survival against the number of Cliffords with its fit' }],
});

function interleaved<const Name extends string>(
  name: Name,
  { gate, pulses }: { gate: 'x90' | 'x180'; pulses: readonly DragPulseName[] },
) {
  const label = gate.toUpperCase();
  return {
    ...qubitTask,
    ...interleavedBenchmark,
    name,
    description: `Benchmarks random Cliffords without and with an ${label} gate after each; the quotient of both decays is that of the gate.`,
    inputs: {
      qubit_frequency: qubitFrequency,
      ...Object.assign({}, ...pulses.map(dragPulseInputs)),
      ...readoutInputs,
    },
    outputs: {
      [`${gate}_gate_fidelity`]: fidelityOutput(`Average fidelity of the ${label} gate`),
      [`${gate}_depolarizing_rate`]: depolarizingRateOutput(
        `Fraction of the polarisation that the ${label} gate itself loses`,
      ),
    },
  } as const;
}

export const x90InterleavedRandomizedBenchmarking = defineTask(
  interleaved('X90InterleavedRandomizedBenchmarking', { gate: 'x90', pulses: ['drag_hpi'] }),
);
export const x180InterleavedRandomizedBenchmarking = defineTask(
  interleaved('X180InterleavedRandomizedBenchmarking', { gate: 'x180', pulses: ['drag_hpi', 'drag_pi'] }),
);

export const simultaneousRandomizedBenchmarking = defineTask({
  ...qubitTask,
  ...interleavedBenchmark,
  name: 'SimultaneousRandomizedBenchmarking',
  description:
    'Benchmarks random Cliffords of the qubit alone and while its neighbours play their own; the quotient of both decays is the loss by crosstalk.',
  inputs: dragHpiInputs,
  outputs: {
    simultaneous_gate_fidelity: fidelityOutput(
      'Average fidelity of a Clifford while the neighbours on the readout line are driven',
    ),
    crosstalk_error: {
      unit: '',
      valueType: 'float',
      description:
        'Average error that driven neighbours add to each Clifford; zero within its error if they add none',
      bounds: { minimum: -0.01, maximum: 0.5 },
    },
  },
  figures: [{ description: 'Survival against the number of Cliffords, alone and with driven neighbours' }],
});
