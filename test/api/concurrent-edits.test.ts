import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { comment } from '../../shared/domain/notes/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { taskNamed } from '../support/ids.ts';
import { type Answer, type Api, type Call, expectError, startApi } from './harness.ts';
import { code, makeLaboratory, storedTask } from './laboratory.ts';

let api: Api;
let as: ReturnType<Api['as']>;
let project: ProjectId;

beforeAll(async () => {
  api = await startApi();
  const owner = await api.makePerson();
  ({ as, project } = await makeLaboratory(api, owner, await api.makePerson()));
  const tasks = api.database.db.collection<TaskResultDocument>('task_results');
  await tasks.insertOne(
    storedTask(project, owner, { task_id: taskNamed('task'), chip_id: 'CHIP', qid: '0' }),
  );
});
afterAll(() => api.close());

const flow = (number: number) => ({ name: 'rabi', code: `${code}// ${number}\n`, chip_id: 'CHIP' });
const period = '?start_at=2026-01-01T00:00:00Z&end_at=2026-02-01T00:00:00Z';

/** What two people may edit at the same time: where it is read, and what the n-th edit of it is. */
const edited: { what: string; url: string; edit(number: number): Call & { url?: string } }[] = [
  { what: 'a flow', url: '/flows/rabi', edit: (n) => ({ url: '/flows', method: 'POST', body: flow(n) }) },
  { what: 'a chip', url: '/chips/CHIP', edit: (n) => ({ method: 'PATCH', body: { note: `edit ${n}` } }) },
  ...[
    '/chips/CHIP/note',
    `/chips/CHIP/note${period}`,
    '/chips/CHIP/qubits/0/note',
    `/chips/CHIP/qubits/0/note${period}`,
    '/chips/CHIP/qubits/0/metric-notes/t1',
    '/chips/CHIP/couplings/0-1/note',
    '/chips/CHIP/couplings/0-1/metric-notes/zx90_gate_fidelity',
    '/task-results/task/note',
  ].map((url) => ({
    what: `the note ${url}`,
    url,
    edit: (n: number): Call => ({ method: 'PUT', body: { content: `edit ${n}` } }),
  })),
];

const tagOf = ({ headers }: Answer) => String(headers.etag);

describe.each(edited)('$what', ({ url, edit }) => {
  const save = (number: number, ifMatch?: string) => {
    const { url: other = url, ...call } = edit(number);
    return as(other, { ...call, ...(ifMatch !== undefined && { headers: { 'if-match': ifMatch } }) });
  };

  test('is saved by the one of two people who saves first, and 412 for the other', async () => {
    const first = await save(1);
    expect(first.status).toBe(200);
    const read = await as(url);
    expect(tagOf(read)).toMatch(/^"[0-9a-f]+"$/);
    expect(tagOf(await as(url))).toBe(tagOf(read));
    const saved = await save(2, tagOf(read));
    expect(saved.status).toBe(200);
    const before = await as(url);
    expect(tagOf(before)).not.toBe(tagOf(read));
    expectError(await save(3, tagOf(read)), 412, 'precondition_failed');
    expect(await as(url)).toMatchObject({ body: before.body, headers: { etag: tagOf(before) } });
  });

  test('is saved without a condition by the last to save', async () => {
    expect((await save(4)).status).toBe(200);
    expect((await save(5)).status).toBe(200);
    expect((await as(url)).text).toMatch(/5/);
  });

  test('takes the tag that the answer to a save carries, weakened ones too, and * for any', async () => {
    const saved = await save(6);
    const again = await save(7, `W/${tagOf(saved)}`);
    expect(again.status).toBe(200);
    expect(tagOf(again)).toBe(tagOf(await as(url)));
    expect((await save(8, `"other", ${tagOf(again)}`)).status).toBe(200);
    expect((await save(9, '*')).status).toBe(200);
    expectError(await save(10, 'no tag'), 412, 'precondition_failed');
  });

  test('is saved exactly once by many who read the same', async () => {
    await save(11);
    const tag = tagOf(await as(url));
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((number) => save(20 + number, tag)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412]);
    const won = answers.findIndex(({ status }) => status === 200);
    expect((await as(url)).text).toContain(String(21 + won));
  });

  test('is not sent again to a client that has it already', async () => {
    const { headers } = await as(url);
    const again = await as(url, { headers: { 'if-none-match': String(headers.etag) } });
    expect(again).toMatchObject({ status: 304, text: '', headers: { etag: headers.etag } });
  });
});

test.each([
  '/flows/deleted',
  '/chips/CHIP/note',
  `/chips/CHIP/note${period}`,
  '/chips/CHIP/qubits/2/note',
  `/chips/CHIP/qubits/2/note${period}`,
  '/chips/CHIP/qubits/2/metric-notes/t1',
  '/task-results/task/note',
])('%s is deleted with the tag that was read last, and with no other', async (url) => {
  const isFlow = url.startsWith('/flows/');
  const body = (number: number) =>
    isFlow ? { ...flow(number), name: 'deleted', flow_function_name: 'rabi' } : { content: `edit ${number}` };
  const save = (number: number) =>
    as(isFlow ? '/flows' : url, { method: isFlow ? 'POST' : 'PUT', body: body(number) });
  const remove = (tag: string) => as(url, { method: 'DELETE', headers: { 'if-match': tag } });
  expect((await save(1)).status).toBe(200);
  const stale = tagOf(await as(url));
  await save(2);
  const before = await as(url);
  expectError(await remove(stale), 412, 'precondition_failed');
  expect((await as(url)).text).toBe(before.text);
  const answers = await Promise.all([tagOf(before), tagOf(before)].map(remove));
  expect(answers.map(({ status }) => status === 200)).toContain(true);
  expect((await as(url)).text).not.toBe(before.text);
});

test('a chip is deleted with the tag that was read last, and stays with an older one', async () => {
  await as('/chips', { method: 'POST', body: { chip_id: 'SHORT', size: 4 } });
  const stale = tagOf(await as('/chips/SHORT'));
  await as('/chips/SHORT', { method: 'PATCH', body: { note: 'still needed' } });
  const remove = (tag: string) =>
    as('/chips/SHORT?force=true', { method: 'DELETE', headers: { 'if-match': tag } });
  expectError(await remove(stale), 412, 'precondition_failed');
  const kept = await as('/chips/SHORT');
  expect(kept.body).toMatchObject({ chip_id: 'SHORT', note: { content: 'still needed' } });
  const withTargets = await as('/chips/SHORT', { method: 'DELETE', headers: { 'if-match': tagOf(kept) } });
  expectError(withTargets, 409, 'conflict');
  expect((await remove(tagOf(kept))).status).toBe(200);
  expectError(await remove(tagOf(kept)), 404, 'not_found');
});

test('a comment is changed and deleted with its newest tag, and with no other', async () => {
  const url = '/chips/CHIP/qubits/0/note/comments';
  const written = await as(url, { method: 'POST', body: { content: 'first' } });
  const { comment_id } = comment.parse(written.body);
  const at = `${url}/${comment_id}`;
  const change = (content: string, tag: string) =>
    as(at, { method: 'PUT', body: { content }, headers: { 'if-match': tag } });
  const remove = (tag: string) => as(at, { method: 'DELETE', headers: { 'if-match': tag } });
  const changed = await change('second', tagOf(written));
  expect(changed.status).toBe(200);
  expectError(await change('third', tagOf(written)), 412, 'precondition_failed');
  expectError(await remove(tagOf(written)), 412, 'precondition_failed');
  expect((await remove(tagOf(changed))).status).toBe(200);
  expectError(await remove(tagOf(changed)), 404, 'not_found');
});

describe('a condition on what does not exist yet', () => {
  test('is not met by a new flow', async () => {
    const body = { ...flow(1), name: 'fresh', flow_function_name: 'rabi' };
    for (const tag of ['*', '"any"']) {
      const answer = await as('/flows', { method: 'POST', body, headers: { 'if-match': tag } });
      expectError(answer, 412, 'precondition_failed');
    }
    expectError(await as('/flows/fresh'), 404, 'not_found');
  });

  test('holds for a note that does not exist yet, once', async () => {
    const url = '/chips/CHIP/qubits/1/metric-notes/t1';
    const tag = tagOf(await as(url));
    const put = (content: string) =>
      as(url, { method: 'PUT', body: { content }, headers: { 'if-match': tag } });
    const answers = await Promise.all(['a', 'b', 'c'].map(put));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
  });
});

test('a chip whose topology is named with a stale tag keeps its topology and its targets', async () => {
  const chips = api.database.db.collection('qubits');
  await chips.deleteOne({ project_id: project, chip_id: 'CHIP', qid: '3' });
  const tag = tagOf(await as('/chips/CHIP'));
  await as('/chips/CHIP', { method: 'PATCH', body: { note: 'meanwhile' } });
  const { topology_id } = (await as('/chips/CHIP')).body as { topology_id: string };
  const change = (headers: Record<string, string>) =>
    as('/chips/CHIP', { method: 'PATCH', body: { topology_id }, headers });
  expectError(await change({ 'if-match': tag }), 412, 'precondition_failed');
  expectError(await as('/chips/CHIP/qubits/3'), 404, 'not_found');
  const changed = await change({ 'if-match': tagOf(await as('/chips/CHIP')) });
  expect(changed.status).toBe(200);
  expect(tagOf(changed)).toBe(tagOf(await as('/chips/CHIP')));
  expect((await as('/chips/CHIP/qubits/3')).status).toBe(200);
});

test('a flow saved before flows had revisions is compared by when it was saved', async () => {
  await as('/flows', { method: 'POST', body: flow(1) });
  await api.database.db.collection('flows').updateOne({ name: 'rabi' }, { $unset: { revision: '' } });
  const tag = tagOf(await as('/flows/rabi'));
  const save = (number: number) =>
    as('/flows', { method: 'POST', body: flow(number), headers: { 'if-match': tag } });
  expect((await save(2)).status).toBe(200);
  expectError(await save(3), 412, 'precondition_failed');
});
