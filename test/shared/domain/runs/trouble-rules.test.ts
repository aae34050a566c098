import { expect, test } from 'vitest';
import { type NamedCondition, troubleOf } from '../../../../shared/domain/runs/trouble-rules.ts';

const since = new Date('2026-11-21T10:00:00Z');
const now = new Date('2026-11-21T10:00:30Z');
const well: NamedCondition = {
  name: 'the run',
  cancelRequested: false,
  pausedSince: null,
  task: null,
  activities: [],
  children: [],
};
const activity = { name: 'record · 0', failures: 0, failure: null, failureType: null, since, paused: false };
const task = { failures: 0, failure: null, since, taken: true };

const saidOf = (...workflows: Partial<NamedCondition>[]) =>
  troubleOf(
    workflows.map((each) => ({ ...well, ...each })),
    now,
  )?.for ?? null;

test('a run that goes on, or fails now and then, has no trouble', () => {
  expect(saidOf({})).toBeNull();
  expect(saidOf({ cancelRequested: true, children: ['exec:p/e/0'] })).toBeNull();
  expect(saidOf({ task: { ...task, failures: 1, failure: 'a worker died' } })).toBeNull();
  expect(saidOf({ activities: [{ ...activity, failures: 3, failure: 'the store is away' }] })).toBeNull();
  expect(saidOf({ task: { ...task, taken: false } })).toBeNull();
});

test('a disk that takes no more data is named first, at once, and counted as such', () => {
  const short = { ...activity, failures: 1, failure: 'the disk has 3 MiB left', failureType: 'OutOfSpace' };
  expect(troubleOf([{ ...well, activities: [short] }], now)).toEqual({
    for: 'space: the disk has 3 MiB left',
    since: since.toISOString(),
    kind: 'disk',
  });
  const errors = ['ENOSPC: no space left on device, write', 'Disk quota exceeded', 'EROFS: read-only'];
  for (const failure of errors) {
    expect(saidOf({ activities: [{ ...activity, failures: 1, failure }] })).toBe(`space: ${failure}`);
    expect(saidOf({ task: { ...task, failures: 3, failure } })).toBe(`space: ${failure}`);
  }
});

test('a task that the release lacks is named at once, and counted as such', () => {
  const failure = 'task CheckT1, which is not in this release';
  const waiting = { ...activity, failures: 1, failure, failureType: 'MissingTask' };
  expect(troubleOf([{ ...well, activities: [waiting] }], now)).toEqual({
    for: failure,
    since: since.toISOString(),
    kind: 'release',
  });
});

test('workflow tasks that fail while a disk is short wait for the disk', () => {
  const failing = { ...well, task: { ...task, failures: 3, failure: 'deadline exceeded' } };
  expect(troubleOf([failing], now, 'the disk is full')?.for).toBe('space: the disk is full');
  expect(troubleOf([well], now, 'the disk is full')).toBeNull();
});

test('the first of several troubles is reported, that of the workflow before those of its activities', () => {
  const failing = { ...activity, failures: 4, failure: 'no\n  space left' };
  const stage = { name: 'stage 0', activities: [failing, { ...failing, name: 'record · 1', failures: 36 }] };
  expect(saidOf({}, stage)).toBe(
    'record · 1 of stage 0 and 1 more to succeed: it has failed 36 times, the last time with "no space left"',
  );
  expect(saidOf({ task: { ...task, failures: 2, failure: 'nondeterminism' } }, stage)).toBe(
    'the run to continue: its workflow task has failed 2 times, the last time with "nondeterminism"',
  );
  expect(saidOf({ task: { ...task, failures: 2 } })).toBe(
    'the run to continue: its workflow task has failed 2 times',
  );
});

test('what was paused by hand in the engine is reported', () => {
  const paused = { ...activity, name: 'CheckT1 · 0 · 1', paused: true };
  expect(saidOf({}, { name: 'stage 2', activities: [paused] })).toBe(
    'CheckT1 · 0 · 1 of stage 2 to be unpaused in the workflow engine',
  );
  expect(saidOf({ pausedSince: since, activities: [paused] })).toBe(
    'the run to be unpaused in the workflow engine',
  );
});

test('a workflow that no worker takes on for more than a minute says so, since it began to wait', () => {
  const early = new Date(now.getTime() - 61_000);
  const waiting = { ...well, task: { ...task, taken: false, since: early } };
  expect(troubleOf([waiting], now)).toEqual({
    for: 'a worker of the service to carry on the run',
    since: early.toISOString(),
  });
});

test.each([
  [{ current: null, versions: [] }, ': none is there, so start one'],
  [{ current: null, versions: [null] }, ''],
  [{ current: 'abc', versions: ['def', 'abc'] }, ''],
  [
    { current: 'abc', versions: ['def'] },
    ': none of the current version abc is there, only workers of def; start its workers, or promote another version with npm run promote -- def',
  ],
  [
    { current: 'abc', versions: [null] },
    ': none of the current version abc is there, only workers without a version; start its workers',
  ],
  [
    { current: null, versions: ['def', 'abc'] },
    ': no version is promoted, only workers of def and of abc; start workers without a version, or promote another version with npm run promote -- def',
  ],
])('of the workers %o it is said why none takes the run on', (workers, why) => {
  const late = { ...well, task: { ...task, taken: false, since: new Date('2026-11-21T09:59:00Z') } };
  expect(troubleOf([late], now, null, workers)?.for).toBe(
    `a worker of the service to carry on the run${why}`,
  );
});
