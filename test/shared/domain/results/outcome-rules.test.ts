import { expect, test } from 'vitest';
import {
  calibratedTargets,
  type TargetOutcome,
  targetsToRetry,
  withUnreached,
} from '../../../../shared/domain/results/outcome-rules.ts';

const task = (
  qid: string,
  status: TargetOutcome['status'],
  fields: Partial<TargetOutcome> = {},
): TargetOutcome => ({ qid, name: 'CheckRabi', status, stage: 0, index: 0, ...fields });

test('a target is calibrated when the last occurrence of each of its tasks completed', () => {
  expect(
    calibratedTargets([
      task('good', 'completed'),
      task('mended', 'completed', { stage: 1 }),
      task('mended', 'failed'),
      task('half', 'completed'),
      task('half', 'failed', { name: 'CheckT1', index: 1 }),
      task('cut off', 'completed'),
      task('cut off', 'cancelled', { name: 'CheckT1', index: 1 }),
    ]),
  ).toEqual(['good', 'mended']);
});

test('a target is retried when the last occurrence of a task failed, was skipped or was cancelled', () => {
  expect(
    targetsToRetry([
      task('good', 'completed'),
      task('bad', 'failed'),
      task('bad', 'skipped', { name: 'CheckT1', index: 1 }),
      task('mended', 'completed', { stage: 1 }),
      task('mended', 'failed'),
      task('worse', 'failed', { index: 2 }),
      task('worse', 'completed', { index: 1 }),
      task('half', 'failed'),
      task('half', 'completed', { name: 'CheckT1', stage: 1 }),
      task('cut off', 'cancelled'),
    ]).toSorted(),
  ).toEqual(['bad', 'cut off', 'half', 'worse']);
});

test('planned tasks that were never reached count as skipped, on targets with and without other tasks', () => {
  const stages = [
    { index: 0, tasks: [{ name: 'CheckRabi' }, { name: 'CheckT1' }], targets: ['done', 'half', 'never'] },
  ];
  const outcomes = withUnreached(
    [
      task('done', 'completed'),
      task('done', 'completed', { name: 'CheckT1', index: 1 }),
      task('half', 'completed'),
    ],
    stages,
  );
  expect(targetsToRetry(outcomes).toSorted()).toEqual(['half', 'never']);
  expect(calibratedTargets(outcomes)).toEqual(['done']);
  expect(withUnreached([], [])).toEqual([]);
});
