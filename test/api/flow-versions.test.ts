import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type FlowVersionDocument,
  flowVersionDetail,
  flowVersionList,
} from '../../shared/domain/flows/saved-flow-model.ts';
import { startedRun } from '../../shared/domain/runs/model.ts';
import { type Api, expectError, type Person, read, startApi } from './harness.ts';
import { code, makeLaboratory } from './laboratory.ts';

const KEPT = 3;
const savedFlow = z.object({ code: z.string(), file_path: z.string() });

let api: Api;
beforeAll(async () => {
  api = await startApi({ engine: 'prepared', environment: { FLOW_VERSIONS: String(KEPT) } });
});
afterAll(() => api.close());

/** A laboratory of its own; its flow `many` is saved with texts that differ by a number. */
async function manyVersions() {
  const [owner, viewer] = await Promise.all([api.makePerson(), api.makePerson()]);
  const lab = await makeLaboratory(api, owner, viewer);
  return {
    ...lab,
    owner,
    viewer,
    async save(number: number, fields: object = {}) {
      const body = {
        name: 'many',
        code: `${code}// ${number}\n`,
        chip_id: 'CHIP',
        flow_function_name: 'rabi',
        ...fields,
      };
      expect(await lab.as('/flows', { method: 'POST', body })).toMatchObject({ status: 200 });
    },
    async run() {
      read(startedRun, await lab.as('/flows/many/execute', { method: 'POST' }));
      await lab.free();
    },
    /** The numbers of the texts that are stored. */
    async kept() {
      const rows = api.database.db.collection<FlowVersionDocument>('flow_versions');
      const found = await rows.find({ project_id: lab.project, name: 'many' }).toArray();
      return found.map(({ source }) => Number(/\d+$/.exec(source.trim())?.[0])).sort();
    },
    current: async () => (await lab.as('/flows/many')).body,
    versions: async (query: Record<string, string> = {}) =>
      read(flowVersionList, await lab.as('/flows/many/versions', { query })),
    /** The number of the text of a version. */
    async numberOf(versionId: string) {
      const { code: text } = read(flowVersionDetail, await lab.as(`/flows/many/versions/${versionId}`));
      return Number(/\d+$/.exec(text.trim())?.[0]);
    },
    restore: (versionId: string, headers: Record<string, string> = {}, by: Person = owner) =>
      api.as(by, lab.project)(`/flows/many/versions/${versionId}/restore`, { method: 'POST', headers }),
  };
}

test('of a flow that is saved again and again the last versions are kept', async () => {
  const flow = await manyVersions();
  for (const number of [1, 2, 3, 4, 5]) await flow.save(number);
  expect(await flow.kept()).toEqual([3, 4, 5]);
  expect(await flow.current()).toMatchObject({ code: expect.stringContaining('// 5') });
});

test('a version that a run was made from is kept for good, beside the last ones', async () => {
  const flow = await manyVersions();
  await flow.save(1);
  await flow.run();
  for (const number of [2, 3, 4, 5, 6]) await flow.save(number);
  expect(await flow.kept()).toEqual([1, 4, 5, 6]);
});

test('code that is saved again is the newest version, and runs', async () => {
  const flow = await manyVersions();
  for (const number of [1, 2, 3, 1, 4, 5]) await flow.save(number);
  expect(await flow.kept()).toEqual([1, 4, 5]);
  await flow.save(1);
  await flow.save(1);
  expect(await flow.current()).toMatchObject({ code: expect.stringContaining('// 1') });
  await flow.run();
});

test('versions of many saves at the same moment leave a flow that runs', async () => {
  const flow = await manyVersions();
  await Promise.all(Array.from({ length: 12 }, (_, number) => flow.save(number)));
  expect(await flow.current()).toMatchObject({ code: expect.stringContaining('// ') });
  await flow.run();
});

test('a flow that is deleted takes its versions along, but for those that runs were made from', async () => {
  const flow = await manyVersions();
  await flow.save(1);
  await flow.run();
  await flow.save(2);
  await flow.as('/flows/many', { method: 'DELETE' });
  expect(await flow.kept()).toEqual([1]);
});

test('after saves at once the file holds the code that is current', async () => {
  const flow = await manyVersions();
  for (let round = 0; round < 8; round += 1) {
    await Promise.all([1, 2, 3, 4, 5, 6].map((number) => flow.save(10 * round + number)));
    const { code: current, file_path } = savedFlow.parse(await flow.current());
    expect(await readFile(file_path, 'utf8')).toBe(current);
  }
});

test('the versions that are kept are listed page by page, saved last first, with who and when', async () => {
  const flow = await manyVersions();
  for (const number of [1, 2, 3, 4, 5]) await flow.save(number);
  const { items, ...page } = await flow.versions();
  expect(page).toEqual({ total: KEPT, skip: 0, limit: 50 });
  expect(await Promise.all(items.map(({ version_id }) => flow.numberOf(version_id)))).toEqual([5, 4, 3]);
  expect(items.map(({ is_current }) => is_current)).toEqual([true, false, false]);
  expect(items.map(({ saved_by }) => saved_by)).toEqual(items.map(() => flow.owner.username));
  const times = items.map(({ saved_at }) => saved_at);
  expect(times).toEqual([...times].sort().reverse());
  const second = await flow.versions({ skip: '1', limit: '1' });
  expect(second).toEqual({ items: [items[1]], total: KEPT, skip: 1, limit: 1 });
  await flow.save(3);
  const again = await flow.versions();
  expect(again.items[0]).toMatchObject({ version_id: items[2]?.version_id, is_current: true });
});

test('a version is restored with all that was saved with it, and what it replaces stays a version', async () => {
  const flow = await manyVersions();
  await flow.save(1, { description: 'first', tags: ['one'], default_parameters: { a: 1 } });
  await flow.save(2, { description: 'second' });
  const [, older] = (await flow.versions()).items;
  if (!older) throw new Error('there is no older version');
  const restored = await flow.restore(older.version_id);
  expect(restored).toMatchObject({ status: 200, body: { name: 'many' } });
  const current = await flow.as('/flows/many');
  expect(current.headers.etag).toBe(restored.headers.etag);
  expect(current.body).toMatchObject({
    ...{ code: `${code}// 1\n`, description: 'first', tags: ['one'], default_parameters: { a: 1 } },
  });
  expect(await readFile(savedFlow.parse(current.body).file_path, 'utf8')).toBe(`${code}// 1\n`);
  const { items } = await flow.versions();
  expect(items.map(({ description }) => description)).toEqual(['first', 'second']);
  await flow.run();
});

test('a stale tag restores nothing, and neither does a viewer', async () => {
  const flow = await manyVersions();
  await flow.save(1);
  const stale = String((await flow.as('/flows/many')).headers.etag);
  await flow.save(2);
  const versions = await flow.versions();
  const [, older] = versions.items;
  if (!older) throw new Error('there is no older version');
  expectError(await flow.restore(older.version_id, { 'if-match': stale }), 412, 'precondition_failed');
  expectError(await flow.restore(older.version_id, {}, flow.viewer), 403, 'forbidden');
  expect(await flow.versions()).toEqual(versions);
});

test('a refused save leaves no version behind', async () => {
  const flow = await manyVersions();
  await flow.save(1);
  const tag = String((await flow.as('/flows/many')).headers.etag);
  const save = (number: number) =>
    flow.as('/flows', {
      method: 'POST',
      body: { name: 'many', code: `${code}// ${number}\n`, chip_id: 'CHIP', flow_function_name: 'rabi' },
      headers: { 'if-match': tag },
    });
  const answers = await Promise.all([2, 3, 4, 5, 6, 7].map(save));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await flow.versions()).total).toBe(2);
  expect(await flow.kept()).toHaveLength(2);
});

test('a flow of a deleted name lists none of the former versions, also not those of runs', async () => {
  const flow = await manyVersions();
  await flow.save(1);
  await flow.run();
  const [first] = (await flow.versions()).items;
  await flow.as('/flows/many', { method: 'DELETE' });
  expectError(await flow.as('/flows/many/versions'), 404, 'not_found');
  await flow.save(2);
  expect((await flow.versions()).total).toBe(1);
  expectError(await flow.as(`/flows/many/versions/${first?.version_id}`), 404, 'not_found');
  expectError(await flow.restore(String(first?.version_id)), 404, 'not_found');
  await flow.save(1);
  expect((await flow.versions()).total).toBe(2);
});

test('versions that were stored before their saves were kept are listed and restored', async () => {
  const flow = await manyVersions();
  for (const number of [1, 2]) await flow.save(number);
  await api.database.db
    .collection<FlowVersionDocument>('flow_versions')
    .updateMany({ project_id: flow.project, name: 'many' }, { $unset: { last_save: '' } });
  const { items } = await flow.versions();
  expect(await Promise.all(items.map(({ version_id }) => flow.numberOf(version_id)))).toEqual([2, 1]);
  expect((await flow.restore(String(items[1]?.version_id))).status).toBe(200);
  expect(await flow.current()).toMatchObject({ code: `${code}// 1\n` });
});

test('a built-in flow has the one version that is shipped', async () => {
  const flow = await manyVersions();
  const { items, total } = read(flowVersionList, await flow.as('/flows/menu/versions'));
  expect({ items, total }).toMatchObject({ items: [{ is_current: true }], total: 1 });
  const version = read(flowVersionDetail, await flow.as(`/flows/menu/versions/${items[0]?.version_id}`));
  expect(version.code).toContain('export async function menu');
});
