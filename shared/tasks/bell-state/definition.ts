import { couplingTask } from '../common/definition/bases.ts';
import { gateInputs } from '../common/definition/coupling-values.ts';
import { fidelityOutput } from '../common/definition/outputs.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask } from '../model.ts';

export const checkBellState = defineTask({
  ...couplingTask,
  name: 'CheckBellState',
  category: '2Q Calibration',
  description:
    'Makes a Bell state with the ZX90 gate and counts its four outcomes, raw and corrected for readout errors. It finds no value that a check could compare; CheckBellStateTomography finds and checks one.',
  inputs: gateInputs,
  runParameters: shotsAndInterval(2048),
  outputs: {},
  figures: [{ description: 'Populations of 00, 01, 10 and 11, raw and mitigated' }],
  r2Threshold: null,
});

export const checkBellStateTomography = defineTask({
  ...couplingTask,
  name: 'CheckBellStateTomography',
  category: '2Q Calibration',
  description:
    'Makes a Bell state with the ZX90 gate, reads it along all nine pairs of axes and reconstructs its density matrix.',
  inputs: gateInputs,
  runParameters: shotsAndInterval(2048),
  outputs: {
    bell_state_fidelity: {
      ...fidelityOutput(
        'Overlap of the state with the Bell state (00 + 11)/√2, corrected for readout errors',
      ),
      role: 'coupling',
    },
  },
  figures: [
    { description: 'Real part of the density matrix' },
    { description: 'Imaginary part of the density matrix' },
  ],
  r2Threshold: null,
});
