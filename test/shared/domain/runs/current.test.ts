import { expect, test } from 'vitest';
import { createCurrent } from '../../../../shared/domain/runs/current.ts';
import { projectNamed } from '../../../support/ids.ts';
import { storedExecution } from '../../../support/stored-results.ts';

const owner = { id: 'mia', username: 'mia' };

function pollable(status: 'running' | 'completed') {
  const execution = storedExecution(projectNamed('p'), owner, { status });
  const clock = { now: 0 };
  const compared: number[] = [];
  const reads = createCurrent({
    find: async () => execution,
    upToDate: async (stored) => {
      compared.push(clock.now);
      return stored;
    },
    now: () => clock.now,
  });
  return { reads, clock, compared };
}

test('a poll compares an open execution with the engine at most every ten seconds', async () => {
  const { reads, clock, compared } = pollable('running');
  for (const at of [0, 5_000, 9_999, 10_000, 15_000]) {
    clock.now = at;
    await reads.polled(projectNamed('p'), 'e');
  }
  expect(compared).toEqual([0, 10_000]);
});

test('a read that is no poll always compares, and an ended execution is never compared', async () => {
  const open = pollable('running');
  await open.reads.current(projectNamed('p'), 'e');
  await open.reads.current(projectNamed('p'), 'e');
  await open.reads.polled(projectNamed('p'), 'e');
  expect(open.compared).toHaveLength(2);
  const ended = pollable('completed');
  await ended.reads.current(projectNamed('p'), 'e');
  await ended.reads.polled(projectNamed('p'), 'e');
  expect(ended.compared).toEqual([]);
});
