import { qubitTask } from '../common/definition/bases.ts';
import { bestReadoutFrequency } from '../common/definition/outputs.ts';
import { driveInputs } from '../common/definition/qubit-inputs.ts';
import { readoutDetunings, shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask } from '../model.ts';

export const checkOptimalReadoutFrequency = defineTask({
  ...qubitTask,
  name: 'CheckOptimalReadoutFrequency',
  category: '1Q Coarse',
  description:
    'Measures the distance of the two states in the IQ plane over 50 MHz and fits where it is largest.',
  inputs: driveInputs,
  runParameters: {
    detuning_range: readoutDetunings,
    ...shotsAndInterval(2048),
  },
  outputs: { readout_frequency: bestReadoutFrequency },
  figures: [{ description: 'Distance of the states against the readout frequency with its fit' }],
});
