import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { FlowVersionDocument } from '../../shared/domain/flows/saved-flow-model.ts';
import { startedRun } from '../../shared/domain/runs/model.ts';
import { type Api, read, startApi } from './harness.ts';
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
    async save(number: number) {
      const body = {
        name: 'many',
        code: `${code}// ${number}\n`,
        chip_id: 'CHIP',
        flow_function_name: 'rabi',
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
