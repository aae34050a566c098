import { expect, test } from 'vitest';
import { planTask } from '../../../activities/planning.ts';
import { createFreshRows, type FreshRow } from '../../../activities/record/fresh-rows.ts';
import { newTaskRow } from '../../../activities/record/preparing.ts';
import { NO_TASK, type TaskId } from '../../../shared/kernel/ids.ts';
import { findTask } from '../../../shared/tasks/catalog.ts';
import { executionNamed, projectNamed, taskNamed } from '../../support/ids.ts';
import { runOf } from '../../support/laboratory.ts';

function freshRow(task_id: TaskId, begun = performance.now()): FreshRow {
  const definition = findTask('CheckT1');
  if (!definition) throw new Error('the catalog lacks a task');
  const run = {
    ...runOf({ projectId: projectNamed('project'), chipId: 'CHIP' }, executionNamed('20260101-000')),
    epoch: 1,
    flow_run_id: 'd5f0c1de-5e1c-4c2b-9d3b-0f3d3c1c7a55',
  };
  const at = { run, stage: 0, target: '0', index: 0, task_id, upstream_id: NO_TASK };
  const task = { definition, planned: planTask(definition, []).task };
  return { row: newTaskRow(at, task, null, new Date()), calibrated: null, begun };
}

test('a row that was just made is given once to who closes it', () => {
  const rows = createFreshRows();
  const fresh = freshRow(taskNamed('task'));
  rows.keep(fresh);
  expect(rows.take('project/other')).toBeUndefined();
  expect(rows.take('project/task')).toBe(fresh);
  expect(rows.take('project/task')).toBeUndefined();
});

test('after a time in which somebody else may have done the task a row is read', () => {
  const rows = createFreshRows();
  rows.keep(freshRow(taskNamed('task'), performance.now() - 10_000));
  expect(rows.take('project/task')).toBeUndefined();
});

test('of rows that are never closed, only the newest are remembered', () => {
  const rows = createFreshRows();
  for (let number = 0; number < 1000; number += 1)
    rows.keep(freshRow(taskNamed(`task ${number}`), Number.MAX_VALUE));
  expect(rows.take('project/task 0')).toBeUndefined();
  expect(rows.take('project/task 999')).toBeDefined();
});
