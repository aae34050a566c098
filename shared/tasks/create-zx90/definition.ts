import { couplingTask } from '../common/definition/bases.ts';
import { crossResonanceOutputs, gateInputs, gateTimeOutput } from '../common/definition/coupling-values.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask } from '../model.ts';

export const createZx90 = defineTask({
  ...couplingTask,
  name: 'CreateZX90',
  category: '2Q Calibration',
  description:
    'Plays the echoed cross-resonance gate once and three times over its amplitude; the gate rotates by pi/2 at the amplitude where both signals are equal.',
  inputs: gateInputs,
  runParameters: shotsAndInterval(2048),
  outputs: { ...crossResonanceOutputs, zx90_gate_time: gateTimeOutput },
  figures: [
    { description: 'Signal of the target after one gate against its amplitude' },
    { description: 'Signal of the target after three gates against their amplitude' },
    { description: 'Difference of both signals with the root of its fit' },
  ],
});
