import { describe, expect, test } from 'vitest';
import { taskCatalog } from '../../../shared/tasks/catalog.ts';
import type { TaskRunParameter } from '../../../shared/tasks/model.ts';
import {
  flowDefaultProblems,
  misspelledRunParameters,
  noSuchTask,
  runOptionProblems,
  stageParameterProblems,
  targetProblem,
} from '../../../shared/tasks/run-options.ts';
import { POWERS_OF_TEN, resolveRunParameters } from '../../../shared/tasks/run-parameters.ts';

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
  test.each(taskCatalog)('of $name can be used together by default', (task) => {
    expect(runOptionProblems(task, resolveRunParameters(task, []).parameters)).toEqual([]);
  });

  test('outside of their bounds are refused, and at the bounds only if these are exclusive', () => {
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

  test('that are sweeps are within their bounds with every point', () => {
    const task = taskWith({
      power: { value: [-10, 0, 5], valueType: 'np.arange', bounds: { maximum: 0 } },
      places: { value: [0, 1], valueType: 'list', bounds: { minimum: 0, maximum: 3 } },
    });
    expect(problems(task)).toEqual([]);
    expect(problems(task, { power: [-10, 10, 5] })).toEqual([
      'The run parameter power of CheckIt is 5; it must be at most 0.',
    ]);
    expect(problems(task, { places: [0, 4] })).toHaveLength(1);
    const long = taskWith({
      time: { value: [0, 2, 3], valueType: 'np.logspace', bounds: { maximum: 1000 } },
    });
    expect(problems(long, { time: [0, 10, 3] })).toEqual([
      `The run parameter time of CheckIt is 100000; it must be at most 1000; ${POWERS_OF_TEN}.`,
    ]);
  });

  test('of type text are one of their choices, or an order of places if allowed', () => {
    const task = taskWith({ pattern: { value: 'default', valueType: 'str', choices: ['default', '16q'] } });
    expect(problems(task, { pattern: '16q' })).toEqual([]);
    expect(problems(task, { pattern: '3,0,2,1' })).toEqual([
      'The run parameter pattern of CheckIt is "3,0,2,1"; it must be default or 16q.',
    ]);
    const orders = taskWith({ pattern: { ...task.runParameters.pattern, orPlaceOrder: true } });
    for (const pattern of ['default', '3,0,2,1', '0, 1, 3, 2'])
      expect(problems(orders, { pattern })).toEqual([]);
    for (const pattern of ['', '1,0', '0,0,1,2', '1,2,3,4', ',0,1,2', '0,1,2,3,4', '32q'])
      expect(problems(orders, { pattern })).toEqual([
        `The run parameter pattern of CheckIt is "${pattern}"; it must be default or 16q or an order of places such as 3,0,2,1.`,
      ]);
  });

  test('that define an empty range contradict each other', () => {
    const task = taskWith({ gap_min: { value: 1 }, gap_max: { value: 2 }, other_min: {} });
    expect(problems(task)).toEqual([]);
    expect(problems(task, { gap_min: 2 })).toEqual([]);
    expect(problems(task, { gap_min: 3 })).toEqual([
      'The run parameters gap_min and gap_max of CheckIt contradict each other: 3 is above 2.',
    ]);
  });
});

const settings = (...names: string[]) =>
  Object.fromEntries(
    names.map((name) => [name, { value: 1, valueType: 'int', unit: '', description: '' } as const]),
  );
const rabi = { name: 'CheckRabi', runParameters: settings('shots', 'interval', 'range', 'list') };
const t1 = { name: 'CheckT1', runParameters: settings('shots') };

test("a flow's defaults are given to a task of that name, or to all tasks under a name that one of them has", () => {
  const defaults = {
    shots: 100,
    interval: { value: 5 },
    range: { value_type: 'int' },
    list: [1, 2],
    CheckT1: { shots: 5 },
  };
  expect(flowDefaultProblems(defaults, [rabi, t1])).toEqual([]);
  const wrong = { CheckRaby: {}, Other: { shots: 1 }, shotz: 3, colour: { value: 'red' } };
  expect(flowDefaultProblems(wrong, [rabi, t1])).toEqual([
    "The flow's default run parameters are wrong: There is no task CheckRaby; did you mean CheckRabi?",
    "The flow's default run parameters are wrong: There is no task Other.",
    "The flow's default run parameters are wrong: no task has a run parameter shotz; did you mean shots?",
    "The flow's default run parameters are wrong: no task has a run parameter colour.",
  ]);
  expect(noSuchTask('Other', [])).toBe('There is no task Other.');
});

test('a run parameter whose name is probably misspelled is refused; one that is like no other is left to the backend', () => {
  expect(misspelledRunParameters(t1, { shots: 1, colour: 2 })).toEqual([]);
  expect(misspelledRunParameters(t1, { shotz: 1 })).toEqual([
    'CheckT1 has no run parameter shotz; did you mean shots?',
  ]);
});

test('a run parameter of a stage must be known to one of its tasks', () => {
  expect(stageParameterProblems([rabi, t1], { interval: 1, shots: 1 })).toEqual([]);
  expect(stageParameterProblems([t1], { interval: 1, shot: 1 })).toEqual([
    'No task of the stage has a run parameter interval.',
    'No task of the stage has a run parameter shot; did you mean shots?',
  ]);
});

test('a task measures targets of its own kind; a task for the whole chip takes any', () => {
  const chip = { chip_id: 'A', qubits: ['0', '1'], couplings: ['0-1'] };
  const of = (taskType: 'qubit' | 'coupling' | 'global' | 'system', targets: string[]) =>
    targetProblem({ name: 'CheckIt', taskType }, targets, chip);
  expect(of('qubit', ['0', '1'])).toBeNull();
  expect(of('coupling', ['0-1'])).toBeNull();
  expect(of('global', ['0', '0-1'])).toBeNull();
  expect(of('system', ['0'])).toBeNull();
  expect(of('coupling', ['0-1', '1'])).toBe('CheckIt measures couplings, and chip A has none named 1.');
  expect(of('qubit', ['0', '2', '3', '4', '5', '6', '7', '8'])).toBe(
    'CheckIt measures qubits, and chip A has none named 2, 3, 4, 5, 6 and 2 more.',
  );
});
