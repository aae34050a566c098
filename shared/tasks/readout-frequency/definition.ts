import { qubitTask } from '../common/definition/bases.ts';
import { bestReadoutFrequency } from '../common/definition/outputs.ts';
import { driveInputs } from '../common/definition/qubit-inputs.ts';
import { controlPulseLengths, detunings, shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask } from '../model.ts';

export const checkReadoutFrequency = defineTask({
  ...qubitTask,
  name: 'CheckReadoutFrequency',
  category: '1Q Coarse',
  description:
    'Measures Rabi oscillations at readout frequencies around the stored one and fits their contrast.',
  inputs: driveInputs,
  runParameters: {
    detuning_range: detunings('Readout frequencies around the stored one'),
    time_range: controlPulseLengths([0, 101, 4]),
    ...shotsAndInterval(1024),
  },
  outputs: { readout_frequency: bestReadoutFrequency },
  figures: [{ description: 'Contrast of the oscillation against the readout frequency with its fit' }],
});
