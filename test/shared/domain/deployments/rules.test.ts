import { expect, test } from 'vitest';
import { rollbackEffect, versionsOf } from '../../../../shared/domain/deployments/rules.ts';

const [OLD, NEW] = ['aaa', 'bbb'];
const both = new Set([OLD, NEW]);

test('a run goes on after a rollback to the version that carries it on', () => {
  expect(rollbackEffect({ buildId: OLD, isPinned: false, stages: [NEW] }, OLD, both)).toBeNull();
});

test('a run that another version has carried on may stop after a rollback', () => {
  const run = { buildId: NEW, isPinned: false, stages: [NEW] };
  expect(rollbackEffect(run, OLD, both)).toEqual({
    effect: 'may_stop',
    reason:
      'It was last carried on by version bbb, and stops if version aaa would have issued other commands.',
  });
  expect(rollbackEffect({ ...run, buildId: null }, OLD, both)?.reason).toContain('workers without a version');
});

test('a run that stays with its version goes on as long as workers of this version are there', () => {
  const run = { buildId: NEW, isPinned: true, stages: [] };
  expect(rollbackEffect(run, OLD, both)).toBeNull();
  expect(rollbackEffect(run, OLD, new Set([OLD]))).toEqual({
    effect: 'stops',
    reason: 'It stays with version bbb, of which no worker is there.',
  });
});

test('a run stops after a rollback to a version without workers, and with a stage whose workers are gone', () => {
  expect(rollbackEffect({ buildId: NEW, isPinned: false, stages: [] }, OLD, new Set([NEW]))?.effect).toBe(
    'stops',
  );
  expect(rollbackEffect({ buildId: OLD, isPinned: false, stages: [NEW] }, OLD, new Set([OLD]))?.effect).toBe(
    'stops',
  );
});

test('a run needs each of its versions once', () => {
  expect(versionsOf({ buildId: NEW, isPinned: false, stages: [NEW, OLD, null] })).toEqual([NEW, OLD, null]);
});
