import { describe, expect, test } from 'vitest';
import { type KnownTarget, resolveInputs } from '../../../activities/record/preparing.ts';
import { inputOffsetProblems, offsetsOfTasks } from '../../../shared/tasks/input-offsets.ts';
import { executionNamed, taskNamed } from '../../support/ids.ts';
import { taskOf } from '../../support/measured.ts';

const [rabi, ramsey, t1] = ['CheckRabi', 'CheckRamsey', 'CheckT1'].map(taskOf);
if (!rabi || !ramsey || !t1) throw new Error('the catalog lost a task');

test('offsets apply to the tasks that read the input, until one has measured it again', () => {
  const offsets = { qubit_frequency: 0.001, control_amplitude: 0.1 };
  expect(offsetsOfTasks([rabi, ramsey, t1], offsets)).toEqual([offsets, { qubit_frequency: 0.001 }, {}]);
});

test('an offset of an input that no task reads is reported, with the most similar input', () => {
  expect(inputOffsetProblems([rabi, t1], { qubit_frequency: 1, qubit_frequenci: 1, colour: 1 })).toEqual([
    'No task of the stage has an input qubit_frequenci; did you mean qubit_frequency?',
    'No task of the stage has an input colour.',
  ]);
  expect(inputOffsetProblems([ramsey, t1], { qubit_frequency: 1 })).toEqual([]);
  const finder = { ...ramsey, inputs: {} };
  expect(inputOffsetProblems([finder, t1], { qubit_frequency: 1 })).toEqual([
    'An offset of qubit_frequency has no effect: the stage measures it again before any of its tasks reads it.',
  ]);
});

describe('an input with an offset', () => {
  const stored = {
    parameter_name: 'qubit_frequency',
    qid_role: '',
    required: true,
    value: 8,
    value_type: 'float',
    error: 0.1,
    unit: 'GHz',
    description: '',
    calibrated_at: '2026-03-01T00:00:00.000Z',
    execution_id: executionNamed('20260301-000'),
    task_id: taskNamed('ramsey'),
  };
  const readout = { ...stored, parameter_name: 'readout_frequency', value: 10 };
  const known: KnownTarget = { qid: '0', data: { qubit_frequency: stored, readout_frequency: readout } };
  const resolve = (input_offsets: Record<string, number>, input_overrides = {}) =>
    resolveInputs(
      {
        planned: { name: 'CheckRabi', scope: 'target', run_parameters: {}, input_overrides, input_offsets },
        definition: rabi,
      },
      known,
    );

  test('is measured with the offset value, and its record contains the offset and the origin of the value', () => {
    const { values, parameters, used } = resolve({ qubit_frequency: -0.001 });
    expect(values.qubit_frequency?.value).toBeCloseTo(7.999, 9);
    expect(parameters.qubit_frequency).toMatchObject({ source: 'override', task_id: 'ramsey' });
    expect(parameters.qubit_frequency?.description).toMatch(/, -0\.001 GHz$/);
    expect(used).toContain('qubit_frequency:Q0:20260301-000:ramsey');
  });

  test('is the override if there is one', () => {
    const { values } = resolve({ qubit_frequency: 1 }, { qubit_frequency: 9 });
    expect(values.qubit_frequency?.value).toBe(9);
  });

  test('stays within the limits of the input', () => {
    expect(resolve({ qubit_frequency: -9 }).problem).toBe(
      'CheckRabi cannot use these values of target 0: qubit_frequency (-1).',
    );
  });

  test('that is zero changes nothing', () => {
    const plain = resolve({});
    expect(resolve({ qubit_frequency: 0 })).toEqual(plain);
    expect(plain.parameters.qubit_frequency?.source).toBe('database');
  });
});
