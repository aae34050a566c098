import { DRAG_PULSES } from '../../science/conventions/drag.ts';
import { qubitTask } from '../common/definition/bases.ts';
import { pulseLengthLimits } from '../common/definition/limits.ts';
import { fidelityOutput } from '../common/definition/outputs.ts';
import { coherenceInputs } from '../common/definition/qubit-inputs.ts';
import { defineTask } from '../model.ts';

export const check1QGateCoherenceLimit = defineTask({
  ...qubitTask,
  name: 'Check1QGateCoherenceLimit',
  category: 'Benchmarking',
  description: 'Computes the fidelity of a one-qubit gate that is limited only by relaxation and dephasing.',
  inputs: coherenceInputs,
  runParameters: {
    drag_hpi_duration: {
      value: DRAG_PULSES.drag_hpi.lengthNs,
      valueType: 'float',
      unit: 'ns',
      description: 'Length of the gate',
      bounds: pulseLengthLimits,
    },
  },
  outputs: {
    one_qubit_gate_coherence_limit: fidelityOutput(
      'Largest average fidelity of a one-qubit gate of this length',
    ),
  },
  figures: [{ description: 'Largest fidelity against the length of the gate, with this gate marked' }],
  kind: 'computed',
  r2Threshold: null,
  goesOnWhenRefused: true,
});
