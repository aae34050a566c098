import { describe, expect, it, test } from 'vitest';
import { taskCatalog } from '../../shared/tasks/catalog.ts';
import type { TaskRunParameter } from '../../shared/tasks/model.ts';
import {
  flowDefaultProblems,
  noSuchTask,
  runOptionProblems,
  targetProblem,
} from '../../shared/tasks/run-options.ts';
import { resolveRunParameters } from '../../shared/tasks/run-parameters.ts';

function taskWith(runParameters: Record<string, Partial<TaskRunParameter>>) {
  const plain: TaskRunParameter = { value: 1, valueType: 'float', unit: '', description: '' };
  return {
    name: 'CheckIt',
    runParameters: Object.fromEntries(
      Object.entries(runParameters).map(([name, given]) => [name, { ...plain, ...given }]),
    ),
  };
}

function problems(task: ReturnType<typeof taskWith>, given: Record<string, unknown> = {}): string[] {
  const resolved = resolveRunParameters(task, [given]);
  expect(resolved.problems).toEqual([]);
  return runOptionProblems(task, resolved.parameters);
}

describe('run parameters', () => {
  it.each(taskCatalog)('that $name has by default can be used together', (task) => {
    expect(runOptionProblems(task, resolveRunParameters(task, []).parameters)).toEqual([]);
  });

  it('outside of their bounds are refused, at the bounds only where these are excluded', () => {
    const task = taskWith({ amplitude: { bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 } } });
    expect(problems(task)).toEqual([]);
    expect(problems(task, { amplitude: 0 })).toEqual([
      'The run parameter amplitude of CheckIt is 0; it must be above 0 and at most 1.',
    ]);
    expect(problems(task, { amplitude: 1.5 })).toHaveLength(1);
    const counted = taskWith({ count: { valueType: 'int', bounds: { minimum: 1 } } });
    expect(problems(counted, { count: -3 })).toEqual([
      'The run parameter count of CheckIt is -3; it must be at least 1.',
    ]);
  });

  it('that are sweeps are within their bounds with every point', () => {
    const task = taskWith({
      power: { value: [-10, 0, 5], valueType: 'np.arange', bounds: { maximum: 0 } },
      places: { value: [0, 1], valueType: 'list', bounds: { minimum: 0, maximum: 3 } },
    });
    expect(problems(task)).toEqual([]);
    expect(problems(task, { power: [-10, 10, 5] })).toEqual([
      'The run parameter power of CheckIt is 5; it must be at most 0.',
    ]);
    expect(problems(task, { places: [0, 4] })).toHaveLength(1);
  });

  it('that leave nothing between them contradict each other', () => {
    const task = taskWith({ gap_min: { value: 1 }, gap_max: { value: 2 }, other_min: {} });
    expect(problems(task)).toEqual([]);
    expect(problems(task, { gap_min: 2 })).toEqual([]);
    expect(problems(task, { gap_min: 3 })).toEqual([
      'The run parameters gap_min and gap_max of CheckIt contradict each other: 3 is above 2.',
    ]);
  });
});

test("a flow's defaults for one task need a task of that name", () => {
  const known = ['CheckRabi', 'CheckT1'];
  const defaults = {
    shots: 100,
    interval: { value: 5 },
    range: { value_type: 'int' },
    list: [1, 2],
    CheckT1: { shots: 5 },
  };
  expect(flowDefaultProblems(defaults, known)).toEqual([]);
  expect(flowDefaultProblems({ CheckRaby: {}, Other: { shots: 1 } }, known)).toEqual([
    "The flow's default run parameters are wrong: There is no task CheckRaby; did you mean CheckRabi?",
    "The flow's default run parameters are wrong: There is no task Other.",
  ]);
  expect(noSuchTask('Other', [])).toBe('There is no task Other.');
});

test('a task measures targets of its own kind; a task for the whole chip takes any', () => {
  const chip = { chip_id: 'A', qubits: ['0', '1'], couplings: ['0-1'] };
  const of = (taskType: 'qubit' | 'coupling' | 'global' | 'system', targets: string[]) =>
    targetProblem({ name: 'CheckIt', taskType }, targets, chip);
  expect(of('qubit', ['0', '1'])).toBeNull();
  expect(of('coupling', ['0-1'])).toBeNull();
  expect(of('global', ['0', '0-1'])).toBeNull();
  expect(of('system', ['0'])).toBeNull();
  expect(of('coupling', ['0-1', '1'])).toBe('CheckIt measures couplings of chip A, which these are not: 1.');
  expect(of('qubit', ['0', '2', '3', '4', '5', '6', '7', '8'])).toBe(
    'CheckIt measures qubits of chip A, which these are not: 2, 3, 4, 5, 6 and 2 more.',
  );
});
