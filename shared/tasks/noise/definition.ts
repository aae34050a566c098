import { measuredTask } from '../common/definition/bases.ts';
import { defineTask } from '../model.ts';

export const checkNoise = defineTask({
  ...measuredTask,
  name: 'CheckNoise',
  taskType: 'global',
  category: 'Box Setup',
  description: 'Records the noise of the converters without any drive.',
  inputs: {},
  runParameters: {},
  outputs: {},
  figures: [{ description: 'Noise in the IQ plane' }],
  scope: 'batch',
  r2Threshold: null,
});
