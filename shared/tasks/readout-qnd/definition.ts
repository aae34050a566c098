import { qubitTask } from '../common/definition/bases.ts';
import { shareLimits } from '../common/definition/limits.ts';
import { fidelityOutput } from '../common/definition/outputs.ts';
import { dragHpiInputs } from '../common/definition/qubit-inputs.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask, type TaskOutput } from '../model.ts';

function part(description: string): TaskOutput {
  return { unit: '', valueType: 'float', description, bounds: shareLimits };
}

export const checkReadoutQnd = defineTask({
  ...qubitTask,
  name: 'CheckReadoutQND',
  category: 'Measurement',
  description:
    'Prepares both states and reads each shot twice: determines the errors of the first reading, and how often the second one agrees with it.',
  inputs: dragHpiInputs,
  runParameters: {
    pause: {
      value: 1000,
      valueType: 'float',
      unit: 'ns',
      description: 'Time between both readouts, in which the resonator empties',
      bounds: { minimum: 0, maximum: 1_000_000 },
    },
    ...shotsAndInterval(2048),
  },
  outputs: {
    assignment_error_0: part('Fraction of the shots prepared in the ground state that are read as excited'),
    assignment_error_1: part('Fraction of the shots prepared in the excited state that are read as ground'),
    qnd_fidelity: fidelityOutput(
      'Fraction of second readings that agree with the first, mean of both outcomes',
    ),
    qnd_fidelity_0: fidelityOutput(
      'Fraction of second readings that agree with a first one of the ground state',
    ),
    qnd_fidelity_1: fidelityOutput(
      'Fraction of second readings that agree with a first one of the excited state',
    ),
  },
  figures: [
    { description: 'Assignment matrix: fractions of the outcomes for each prepared state' },
    { description: "Fractions of the second reading's outcomes for each outcome of the first" },
  ],
  r2Threshold: null,
});
