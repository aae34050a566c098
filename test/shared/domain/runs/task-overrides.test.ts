import { expect, test } from 'vitest';
import { overrideProblems } from '../../../../shared/domain/runs/task-overrides.ts';
import { findTask } from '../../../../shared/tasks/catalog.ts';
import { resolveRunParameters, sweepPoints } from '../../../../shared/tasks/run-parameters.ts';

const taskOf = (name: string) => {
  const task = findTask(name);
  if (!task) throw new Error(`there is no task ${name}`);
  return task;
};
const problems = (name: string, run: Record<string, unknown>) =>
  overrideProblems(taskOf(name), { input: {}, run });
const pointsOf = (name: string, parameter: string, given: unknown) => {
  const { parameters } = resolveRunParameters(taskOf(name), [{ [parameter]: given }]);
  const found = parameters[parameter];
  const points = found && sweepPoints(found);
  return points?.ok ? points.value : null;
};

test('a sweep may be given with another spacing than the declared one', () => {
  const linear = { value: [0, 1000, 3], value_type: 'np.linspace' };
  expect(problems('CheckT1', { time_range: linear })).toEqual([]);
  expect(pointsOf('CheckT1', 'time_range', linear)).toEqual([0, 500, 1000]);
  const logarithmic = { value: [1, 3, 3], value_type: 'np.logspace' };
  expect(problems('CheckRabi', { time_range: logarithmic })).toEqual([]);
  expect(pointsOf('CheckRabi', 'time_range', logarithmic)).toEqual([10, 100, 1000]);
  expect(problems('CheckT1', { time_range: { value: [100, 300, 900], value_type: 'list' } })).toEqual([]);
});

test('a value without a type keeps the declared spacing, and a single value cannot become a sweep', () => {
  expect(problems('CheckT1', { time_range: { value: [2, 5, 51] } })).toEqual([]);
  expect(problems('CheckT1', { shots: { value: [1, 2, 3], value_type: 'np.linspace' } })).toEqual([
    'The run parameter shots of CheckT1 cannot have the value_type np.linspace; it may have int.',
  ]);
  expect(problems('CheckT1', { time_range: { value: 5, value_type: 'float' } })).toEqual([
    expect.stringContaining('cannot have the value_type float; it may have np.linspace, np.logspace,'),
  ]);
});

test('the message about a logarithmic sweep says that its ends are powers of ten', () => {
  const [problem] = problems('CheckT1', { time_range: 5 });
  expect(problem).toContain('start and stop are powers of ten ([2, 5, 51] goes from 100 to 100000)');
  expect(taskOf('CheckT1').runParameters['time_range']?.description).toContain('powers of ten');
});
