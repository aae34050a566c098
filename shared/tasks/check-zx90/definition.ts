import { couplingTask } from '../common/definition/bases.ts';
import { gateInputs } from '../common/definition/coupling-values.ts';
import { rotationErrorOutput } from '../common/definition/outputs.ts';
import { repetitions, shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask } from '../model.ts';

export const checkZx90 = defineTask({
  ...couplingTask,
  name: 'CheckZX90',
  category: '2Q Calibration',
  description:
    'Repeats the ZX90 gate with the control in its ground state: the target follows the pattern 1, 0, -1, 0 and the control stays.',
  inputs: gateInputs,
  runParameters: { repetitions: repetitions('Largest number of gates'), ...shotsAndInterval(2048) },
  outputs: { zx90_rotation_error: { ...rotationErrorOutput('pi/2'), role: 'coupling' } },
  figures: [
    { description: 'Normalised signal of the control against the number of gates' },
    { description: 'Normalised signal of the target against the number of gates, with the fitted rotation' },
  ],
});
