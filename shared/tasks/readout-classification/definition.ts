import { SIMULATOR_BACKEND } from '../common/definition/backends.ts';
import {
  DEFAULT_TIMEOUT,
  qubitFrequency,
  readoutInputs,
  shotsAndInterval,
} from '../common/definition/common.ts';
import { dragPulseInputs } from '../common/definition/drag-pulse-inputs.ts';
import type { TaskDefinition, TaskOutput } from '../model.ts';

function fidelity(description: string): TaskOutput {
  return { unit: 'a.u.', valueType: 'float', description, bounds: { minimum: 0, maximum: 1 } };
}

export const readoutClassification: TaskDefinition = {
  name: 'ReadoutClassification',
  taskType: 'qubit',
  category: 'Measurement',
  description:
    'Prepares both states, keeps every single shot, describes the shots by two Gaussians in the IQ plane and counts how many are told right.',
  backends: [SIMULATOR_BACKEND],
  inputs: { qubit_frequency: qubitFrequency, ...dragPulseInputs('drag_hpi'), ...readoutInputs },
  runParameters: shotsAndInterval(2048),
  outputs: {
    average_readout_fidelity: fidelity('Mean of both readout fidelities'),
    readout_fidelity_0: fidelity('Part of the shots prepared in the ground state that are read so'),
    readout_fidelity_1: fidelity('Part of the shots prepared in the excited state that are read so'),
  },
  figures: [
    { description: 'Histograms of the shots of both states along the line between them, with the threshold' },
    { description: 'The single shots in the IQ plane' },
  ],
  scope: 'target',
  kind: 'measured',
  timeout: DEFAULT_TIMEOUT,
  r2Threshold: null,
};
