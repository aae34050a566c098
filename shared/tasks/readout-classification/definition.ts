import { qubitTask } from '../common/definition/bases.ts';
import { fidelityOutput } from '../common/definition/outputs.ts';
import { dragHpiInputs } from '../common/definition/qubit-inputs.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask } from '../model.ts';

export const readoutClassification = defineTask({
  ...qubitTask,
  name: 'ReadoutClassification',
  category: 'Measurement',
  description:
    'Prepares both states, keeps every single shot, describes the shots by two Gaussians in the IQ plane and counts how many are assigned correctly.',
  inputs: dragHpiInputs,
  runParameters: shotsAndInterval(2048),
  outputs: {
    average_readout_fidelity: fidelityOutput('Mean of both readout fidelities'),
    readout_fidelity_0: fidelityOutput(
      'Fraction of the shots prepared in the ground state that are read as ground',
    ),
    readout_fidelity_1: fidelityOutput(
      'Fraction of the shots prepared in the excited state that are read as excited',
    ),
  },
  figures: [
    { description: 'Histograms of the shots of both states along the line between them, with the threshold' },
    { description: 'The single shots in the IQ plane' },
  ],
  r2Threshold: null,
});
