import { qubitTask } from '../common/definition/bases.ts';
import { bestReadoutFrequency } from '../common/definition/outputs.ts';
import { driveInputs } from '../common/definition/qubit-inputs.ts';
import { readoutDetunings, shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask } from '../model.ts';

export const checkDispersiveShift = defineTask({
  ...qubitTask,
  name: 'CheckDispersiveShift',
  category: '1Q Coarse',
  description:
    'Measures the reflection of the resonator for both states of the qubit and fits their difference.',
  inputs: driveInputs,
  runParameters: {
    detuning_range: readoutDetunings,
    ...shotsAndInterval(2048),
  },
  outputs: {
    optimal_readout_frequency: bestReadoutFrequency,
    dispersive_shift: {
      unit: 'MHz',
      valueType: 'float',
      description: 'Half the shift of the resonator from the ground to the excited state, with its sign',
    },
  },
  figures: [{ description: 'Phase against the readout frequency for both prepared states, with their fits' }],
});
