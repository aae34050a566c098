import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillIssues, issueReadsOf } from '../../scripts/bench/issue-reads.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { type Api, type Person, startApi } from './harness.ts';

const count = 2100;

let api: Api;
let owner: Person;
let project: ProjectId;
beforeAll(async () => {
  api = await startApi();
  owner = await api.makePerson();
  project = await api.makeProject(owner);
  await fillIssues(api.database.db, { project, end: new Date('2026-03-01T12:00:00Z'), count });
});
afterAll(() => api.close());

test('the reads of the benchmark find the issues that it fills in', async () => {
  const asked = new Map<string, unknown>();
  const reads = issueReadsOf({ project, end: new Date(), count }, async (path, query = {}) => {
    const text = Object.entries(query).map(([name, value]) => [name, String(value)]);
    const { status, body } = await api.as(owner, project)(path, { query: Object.fromEntries(text) });
    expect(status).toBe(200);
    asked.set(path, body);
    return '';
  });
  const answers = new Map<string, unknown>();
  for (const { name, ask } of reads) {
    asked.clear();
    await ask(3);
    answers.set(name, [...asked.values()]);
  }
  expect(Object.fromEntries(answers)).toMatchObject({
    'issues, newest 50 open ones and their count': [{ total: 420 }],
    'issues, newest 50 of all and their count': [{ total: 2100 }],
    'issues, a later page of closed ones': [{ total: 1680, skip: 150 }],
    'one issue, and its replies': expect.arrayContaining([
      expect.objectContaining({ reply_count: 3 }),
      [expect.anything(), expect.anything(), expect.anything()],
    ]),
  });
  const [onResult] = [answers.get('issues on one result, all with replies')].flat();
  expect(Array.isArray(onResult) && onResult.length).toBeGreaterThan(4);
});
