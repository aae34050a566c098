import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { domain } from '../../shared/domain/areas.ts';
import { ruleOfCollection } from '../../shared/domain/chips/index.ts';
import { scheduleList } from '../../shared/domain/schedules/model.ts';
import { keyOf } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { taskNamed } from '../support/ids.ts';
import { type Api, read, startApi } from './harness.ts';
import { makeLaboratory, storedExecution, storedTask } from './laboratory.ts';

const CHIP = 'CHIP';
const FRESH = 'FRESH';

let api: Api;
let lab: Awaited<ReturnType<typeof makeLaboratory>>;

interface Stored {
  _id: string;
  [field: string]: unknown;
}

beforeAll(async () => {
  api = await startApi({ engine: 'prepared' });
  const owner = await api.makePerson();
  lab = await makeLaboratory(api, owner, await api.makePerson());
  const result = storedTask(lab.project, owner, {
    chip_id: CHIP,
    task_id: taskNamed('task'),
    excluded: true,
  });
  await collection('task_results').insertOne({ ...result });
  await collection('executions').insertOne({ ...storedExecution(lab.project, owner, { chip_id: CHIP }) });
});
afterAll(() => api.close());

const collection = (name: string) => api.database.db.collection<Stored>(name);
const kinds = Object.keys(ruleOfCollection);
const kindsWith = (...rules: string[]) =>
  kinds.filter((name) => rules.includes(ruleOfCollection[name] ?? ''));

/** Collections with a document of the project that names the chip in a field of this kind. */
async function namingChip(): Promise<string[]> {
  const names = domain.collections.map((each) => each.collection);
  const counts = await Promise.all(
    names.map((name) =>
      collection(name).countDocuments({
        project_id: lab.project,
        $or: [{ chip_id: CHIP }, { chip_ids: CHIP }],
      }),
    ),
  );
  return names.filter((_name, index) => counts[index] !== 0);
}

test('every collection whose documents belong to a chip says what becomes of them', () => {
  const indexed = domain.collections
    .filter(({ indexes }) => indexes.some(({ key }) => 'chip_id' in key || 'chip_ids' in key))
    .map((each) => each.collection);
  expect([...new Set(indexed)].filter((name) => !kinds.includes(name))).toEqual([]);
  const declared = new Set(domain.collections.map((each) => each.collection));
  expect(kinds.filter((name) => !declared.has(name))).toEqual([]);
  // Without such an index, a deletion would read a whole project.
  expect(kindsWith('removed', 'kept').filter((name) => !indexed.includes(name))).toEqual([]);
});

describe('a chip that gets the id of a deleted one', () => {
  beforeAll(async () => {
    const period = '?start_at=2026-01-01T00:00:00Z&end_at=2026-01-02T00:00:00Z';
    const write = (url: string, method: 'POST' | 'PUT' | 'PATCH', body: unknown) =>
      lab.as(url, { method, body });
    const made = [
      await write(`/chips/${CHIP}/note`, 'PUT', { content: 'of the chip' }),
      await write(`/chips/${CHIP}/note${period}`, 'PUT', { content: 'of a period' }),
      await write(`/chips/${CHIP}/qubits/0/note`, 'PUT', { content: 'of a qubit' }),
      await write(`/chips/${CHIP}/couplings/0-1/metric-notes/zx90_gate_fidelity`, 'PUT', { content: 'odd' }),
      await write(`/chips/${CHIP}/qubits/0/note/comments`, 'POST', { content: 'indeed' }),
      await write('/calibrations/parameters', 'PATCH', { chip_id: CHIP, qid: '0', parameters: { t1: 40 } }),
      await write('/flows/rabi/schedule', 'POST', { cron: '0 4 * * *' }),
      await lab.as(`/chips/${CHIP}/metrics/summary`),
    ];
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 200));
    // Of the other kinds a document is enough: nothing reads it.
    for (const name of kindsWith('removed', 'kept')) {
      if ((await collection(name).countDocuments({ project_id: lab.project, chip_id: CHIP })) > 0) continue;
      const more = name === 'forum_threads' ? { is_deleted: false, number: 1 } : {};
      const _id = keyOf(lab.project, newId());
      await collection(name).insertOne({ _id, project_id: lab.project, chip_id: CHIP, ...more });
    }
    expect(await namingChip()).toEqual(expect.arrayContaining(kindsWith('removed', 'kept')));
    expect((await namingChip()).filter((name) => !kinds.includes(name))).toEqual([]);
    const removed = await lab.as(`/chips/${CHIP}`, { method: 'DELETE', query: { force: 'true' } });
    expect(removed.status).toBe(200);
    for (const chip_id of [CHIP, FRESH]) {
      expect((await lab.as('/chips', { method: 'POST', body: { chip_id, size: 16 } })).status).toBe(200);
    }
  });

  test('has nothing of it in any collection, and what was done with the other is kept apart', async () => {
    expect(
      (await namingChip()).filter((name) => ['removed', 'kept'].includes(ruleOfCollection[name] ?? '')),
    ).toEqual([]);
    for (const name of kindsWith('kept')) {
      const apart = { project_id: lab.project, chip_id: new RegExp(`^${CHIP}~`) };
      expect({ name, kept: await collection(name).countDocuments(apart) }).toMatchObject({
        kept: expect.toSatisfy((count: number) => count > 0),
      });
    }
  });

  test('reads as a chip that never had another one under its id, at every route about chips', async () => {
    const routes = await routesAboutChips();
    expect(routes.length).toBeGreaterThan(20);
    for (const { url, query } of routes) {
      const answerOf = async (chip: string) => {
        const named = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, value || chip]));
        const { status, text } = await lab.as(url.replace('{chip_id}', chip), { query: named });
        const plain = text.replaceAll(chip, 'chip').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time');
        return { url, query, status, text: plain };
      };
      const fresh = await answerOf(FRESH);
      expect([200, 404], `${url} ${fresh.text}`).toContain(fresh.status);
      expect(await answerOf(CHIP)).toEqual(fresh);
    }
  });

  test('is not what schedules of the deleted one run on: they are paused with the reason', async () => {
    const { schedules } = read(scheduleList, await lab.as('/flows/schedules'));
    expect(schedules).toMatchObject([
      { active: false, paused_reason: expect.stringContaining(`the chip ${CHIP}`) },
    ]);
  });
});

const parameter = z.object({ name: z.string(), in: z.string(), required: z.boolean().optional() });
const document = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.looseObject({ parameters: z.array(parameter).optional() })),
  ),
});

/** What requests give where a route asks for more than a chip. */
const given: Record<string, string> = {
  ...{ qid: '0', coupling_id: '0-1', mux_id: '0', metric: 't1', metric_key: 't1', parameter_name: 't1' },
  ...{ parameter: 't1', task: 'CheckT1', task_name: 'CheckT1', date: '20260102', scope: 'qubit' },
  ...{ target_id: '0', target_type: 'qubit', q: 'chip', index: '0' },
  ...{ start_at: '2026-01-01T00:00:00Z', end_at: '2027-12-31T00:00:00Z' },
};

/** Every GET that names a chip in its path or in its query, with what it needs beside; '' stands for the chip. */
async function routesAboutChips(): Promise<{ url: string; query: Record<string, string> }[]> {
  const { paths } = document.parse((await api.call('/openapi.json')).body);
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const parameters = get?.parameters ?? [];
    if (!parameters.some(({ name }) => name === 'chip_id')) return [];
    const url = parameters
      .filter((each) => each.in === 'path' && each.name !== 'chip_id')
      .reduce((text, { name }) => text.replace(`{${name}}`, given[name] ?? ''), path);
    const query = parameters
      .filter((each) => each.in === 'query' && (each.required || each.name === 'chip_id'))
      .map(({ name }) => [name, name === 'chip_id' ? '' : (given[name] ?? 'x')] as const);
    return [{ url, query: Object.fromEntries(query) }];
  });
}
