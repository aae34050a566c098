import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillIssues, issueReadsOf } from '../../scripts/bench/issue-reads.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { openOwnAreas } from '../support/own-areas.ts';

const filled = { project: newId(), end: new Date('2026-03-01T12:00:00Z'), count: 2100 };

let own: Awaited<ReturnType<typeof openOwnAreas>>;
beforeAll(async () => {
  own = await openOwnAreas();
  await fillIssues(own.kernel.db, filled);
});
afterAll(() => own.close());

test('the reads of the benchmark find the issues that it fills in', async () => {
  const answers = new Map<string, unknown>();
  for (const { name, ask } of issueReadsOf(own.areas, filled)) answers.set(name, await ask(3));
  expect(Object.fromEntries(answers)).toMatchObject({
    'issues, newest 50 open ones and their count': { total: 420 },
    'issues, newest 50 of all and their count': { total: 2100 },
    'issues, a later page of closed ones': { total: 1680, skip: 150 },
    'one issue, and its replies': [{ reply_count: 3 }, [{}, {}, {}]],
  });
  const onResult = answers.get('issues on one result, all with replies');
  expect(Array.isArray(onResult) && onResult.length).toBeGreaterThan(4);
});
