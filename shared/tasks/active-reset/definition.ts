import { qubitTask } from '../common/definition/bases.ts';
import { dragHpiInputs } from '../common/definition/qubit-inputs.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask, type TaskOutput } from '../model.ts';

/** Maximum excited population after a reset that works. */
const MAX_RESIDUAL = 0.2;

function residual(description: string): TaskOutput {
  return { unit: '', valueType: 'float', description, bounds: { minimum: 0, maximum: MAX_RESIDUAL } };
}

export const checkActiveReset = defineTask({
  ...qubitTask,
  name: 'CheckActiveReset',
  category: 'Measurement',
  description:
    'Prepares both states, reads them, flips shots that are read as excited back to the ground state, and reads again: the population that is still excited.',
  inputs: dragHpiInputs,
  runParameters: {
    latency: {
      value: 500,
      valueType: 'float',
      unit: 'ns',
      description: 'Time from the end of the readout to the conditional half turn',
      bounds: { minimum: 0, maximum: 1_000_000 },
    },
    ...shotsAndInterval(4096),
  },
  outputs: {
    reset_residual_population: residual(
      'Probability to be excited after the reset, mean of both states before',
    ),
    reset_residual_0: residual(
      'Probability to be excited after the reset of a qubit prepared in the ground state',
    ),
    reset_residual_1: residual(
      'Probability to be excited after the reset of a qubit prepared in the excited state',
    ),
  },
  figures: [{ description: 'Excited population of both prepared states before and after the reset' }],
  r2Threshold: null,
});
