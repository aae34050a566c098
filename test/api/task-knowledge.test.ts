import { afterAll, beforeAll, expect, test } from 'vitest';
import { taskKnowledge, taskKnowledgeList } from '../../shared/domain/task-knowledge/model.ts';
import { type Api, expectError, type Person, read, startApi } from './harness.ts';

let api: Api;
let person: Person;

beforeAll(async () => {
  api = await startApi();
  person = await api.makePerson();
});
afterAll(() => api.close());

test('what is known of tasks is listed, and read as parts or as a page', async () => {
  const ask = api.as(person);
  const { items } = read(taskKnowledgeList, await ask('/task-knowledge'));
  expect(items.map(({ name }) => name)).toContain('CheckRabi');
  const known = read(taskKnowledge, await ask('/tasks/CheckRabi/knowledge', { query: { backend: 'any' } }));
  expect(known.expected_result.result_type).toBe('oscillation');
  const page = await ask('/tasks/CheckRabi/knowledge/markdown');
  expect(page.headers['content-type']).toBe('text/markdown; charset=utf-8');
  expect(page.text).toMatch(/^# CheckRabi\n/);
  for (const path of ['knowledge', 'knowledge/markdown']) {
    expectError(await ask(`/tasks/NoSuchTask/${path}`), 404, 'not_found');
    expectError(await ask(`/tasks/toString/${path}`), 404, 'not_found');
  }
});
