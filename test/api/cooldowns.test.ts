import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chip } from '../../shared/domain/chips/model.ts';
import {
  cooldown,
  cooldownList,
  cryostat,
  cryostatList,
  wiringEvent,
  wiringEventList,
} from '../../shared/domain/cooldowns/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { keyOf, type ProjectId } from '../../shared/kernel/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';
import { storedTask } from './laboratory.ts';

let api: Api;
let owner: Person;
let project: ProjectId;

beforeAll(async () => {
  api = await startApi();
  owner = await api.makePerson();
});
afterAll(() => api.close());
beforeEach(async () => {
  project = await api.makeProject(owner);
});

const get = (url: string, query: Record<string, string> = {}) => api.as(owner, project)(url, { query });
const post = (url: string, body?: unknown) => api.as(owner, project)(url, { method: 'POST', body });
const patch = (url: string, body: unknown) => api.as(owner, project)(url, { method: 'PATCH', body });
const remove = (url: string) => api.as(owner, project)(url, { method: 'DELETE' });

const day = (number: number) => new Date(Date.UTC(2026, 0, number)).toISOString();
const cryo = (cryo_id = 'CRYO') => post('/cryostats', { cryo_id });
const chipOf = async (chip_id: string) => read(chip, await get(`/chips/${chip_id}`));
/** Asks for a cool-down from one day of January to another, or one that goes on. */
const cool = (cooldown_id: string, from: number, to: number | null, more: object = {}) =>
  post('/cooldowns', {
    cooldown_id,
    cryo_id: 'CRYO',
    started_at: day(from),
    ended_at: to === null ? null : day(to),
    ...more,
  });
const listed = async (query: Record<string, string> = {}) =>
  read(cooldownList, await get('/cooldowns', query)).cooldowns.map(({ cooldown_id }) => cooldown_id);

describe('a cryostat', () => {
  test('is added with its fields, listed by id, changed field by field', async () => {
    const made = read(
      cryostat,
      await post('/cryostats', { cryo_id: 'B', name: 'Big', commissioned_at: '2026-01-01' }),
      201,
    );
    expect(made).toEqual({
      cryo_id: 'B',
      name: 'Big',
      manufacturer: '',
      model: '',
      location: '',
      status: 'active',
      commissioned_at: day(1),
      decommissioned_at: null,
      note: { content: '', updated_by: '', updated_at: null },
    });
    await cryo('A');
    const { cryostats } = read(cryostatList, await get('/cryostats'));
    expect(cryostats.map(({ cryo_id }) => cryo_id)).toEqual(['A', 'B']);
    const second = read(cryostatList, await get('/cryostats', { skip: '1', limit: '1' }));
    expect(second.cryostats.map(({ cryo_id }) => cryo_id)).toEqual(['B']);
    expectProblems(await get('/cryostats', { limit: '501' }), [['less_than_equal', 'query', 'limit']]);
    const changed = await patch('/cryostats/B', { status: 'maintenance', name: null, note: 'Leaks.' });
    expect(read(cryostat, changed)).toMatchObject({
      name: 'Big',
      status: 'maintenance',
      note: { content: 'Leaks.', updated_by: owner.username, updated_at: expect.stringMatching(/Z$/) },
    });
    expect(read(cryostat, await get('/cryostats/B'))).toEqual(read(cryostat, changed));
  });

  test('has an id of its own, known states and dates in order', async () => {
    await cryo();
    expectError(await cryo(), 409, 'conflict');
    expectProblems(await post('/cryostats', { cryo_id: 'X', status: 'warm' }), [['enum', 'body', 'status']]);
    expectProblems(await post('/cryostats', {}), [['missing', 'body', 'cryo_id']]);
    for (const cryo_id of ['a/b', '.', '..', '', 'a\nb']) {
      expect((await post('/cryostats', { cryo_id })).status, cryo_id).toBe(422);
    }
    expect((await cool('..', 1, 2)).status).toBe(422);
    await patch('/cryostats/CRYO', { commissioned_at: day(5) });
    expectProblems(await patch('/cryostats/CRYO', { decommissioned_at: day(4) }), [
      ['value_error', 'body', 'decommissioned_at'],
    ]);
    expectError(await get('/cryostats/other'), 404, 'not_found');
    expectError(await patch('/cryostats/other', {}), 404, 'not_found');
    expectError(await remove('/cryostats/other'), 404, 'not_found');
  });

  test('that has had a cool-down is deleted only when forced', async () => {
    await cryo();
    await cool('C1', 1, 2);
    expectError(await remove('/cryostats/CRYO'), 409, 'conflict');
    expect((await remove('/cryostats/CRYO?force=true')).status).toBe(200);
    expectError(await get('/cryostats/CRYO'), 404, 'not_found');
    expect(await listed()).toEqual(['C1']);
    await cryo('EMPTY');
    expect((await remove('/cryostats/EMPTY')).status).toBe(200);
  });
});

test('the list of cool-downs leaves out their wiring, which is in each of them', async () => {
  await cryo();
  const block = { type: 'image', data: 'x'.repeat(1024 * 1024) };
  for (let number = 1; number <= 4; number += 1) {
    await cool(`C${number}`, 2 * number, 2 * number + 1);
    await patch(`/cooldowns/C${number}`, { wiring_blocks: [block], wiring_info: '# Lines' });
  }
  const answer = await get('/cooldowns');
  expect(read(cooldownList, answer).cooldowns).toHaveLength(4);
  expect(answer.text.length).toBeLessThan(4000);
  expect(read(cooldown, await get('/cooldowns/C1'))).toMatchObject({
    wiring_blocks: [block],
    wiring_info: '# Lines',
  });
});

describe('a cool-down', () => {
  beforeEach(async () => {
    await cryo();
    await post('/chips', { chip_id: 'A', size: 4 });
    await post('/chips', { chip_id: 'B', size: 4 });
  });

  test('that goes on is the current one of its chips, until it ends', async () => {
    const made = read(cooldown, await cool('C1', 1, null, { chip_ids: ['A'], description: 'First' }), 201);
    expect(made).toEqual({
      cooldown_id: 'C1',
      cryo_id: 'CRYO',
      description: 'First',
      started_at: day(1),
      ended_at: null,
      chip_ids: ['A'],
      note: { content: '', updated_by: '', updated_at: null },
      wiring_info: '',
      wiring_blocks: [],
    });
    expect((await chipOf('A')).current_cooldown_id).toBe('C1');
    expect((await chipOf('B')).current_cooldown_id).toBeNull();
    const ended = read(cooldown, await patch('/cooldowns/C1', { ended_at: day(9) }));
    expect(ended).toMatchObject({ ended_at: day(9), chip_ids: ['A'], description: 'First' });
    expect((await chipOf('A')).current_cooldown_id).toBeNull();
  });

  test('that was ended too early goes on again, with the chips that it had', async () => {
    await cool('C1', 1, null, { chip_ids: ['A', 'B'] });
    const ended = read(cooldown, await patch('/cooldowns/C1', { ended_at: day(9) }));
    // Clients send null for what they do not change.
    expect(read(cooldown, await patch('/cooldowns/C1', { ended_at: null }))).toEqual(ended);
    for (let twice = 0; twice < 2; twice += 1) {
      const again = read(cooldown, await patch('/cooldowns/C1/reopen', {}));
      expect(again).toEqual({ ...ended, ended_at: null });
      expect((await chipOf('A')).current_cooldown_id).toBe('C1');
      expect((await chipOf('B')).current_cooldown_id).toBe('C1');
    }
    expectError(await patch('/cooldowns/none/reopen', {}), 404, 'not_found');
  });

  test('is not opened again over a later one of its cryostat, nor while one of its chips is in another', async () => {
    await cryo('OTHER');
    await cool('C1', 1, 5, { chip_ids: ['B', 'A'] });
    await cool('C2', 6, 7);
    expect(expectError(await patch('/cooldowns/C1/reopen', {}), 409, 'conflict')).toContain('C2');
    await remove('/cooldowns/C2');
    await cool('C3', 3, null, { cryo_id: 'OTHER', chip_ids: ['A'] });
    expect(expectError(await patch('/cooldowns/C1/reopen', {}), 409, 'conflict')).toContain('C3');
    expect(read(cooldown, await get('/cooldowns/C1'))).toMatchObject({
      ended_at: day(5),
      chip_ids: ['B', 'A'],
    });
    expect([await chipOf('A'), await chipOf('B')].map((chip) => chip.current_cooldown_id)).toEqual([
      'C3',
      null,
    ]);
    // Its period in the cryostat ends where it did.
    read(cooldown, await cool('C4', 5, 6), 201);
  });

  test('that is over leaves the chip in the one that it is in', async () => {
    await cool('NOW', 20, null, { chip_ids: ['A'] });
    await cool('PAST', 1, 9, { chip_ids: ['A', 'B'] });
    expect((await chipOf('A')).current_cooldown_id).toBe('NOW');
    expect(await listed({ chip_id: 'A' })).toEqual(['NOW', 'PAST']);
    expect(await listed({ chip_id: 'A', skip: '1', limit: '1' })).toEqual(['PAST']);
    expect((await post('/cooldowns/PAST/chips/B')).status).toBe(200);
    expect((await chipOf('B')).current_cooldown_id).toBeNull();
    expect((await remove('/cooldowns/PAST/chips/A')).status).toBe(200);
    expect((await chipOf('A')).current_cooldown_id).toBe('NOW');
  });

  test('is refused with an unknown cryostat or chip, a taken id, or an end before its start', async () => {
    expectError(await cool('C1', 1, 2, { cryo_id: 'none' }), 400, 'bad_request');
    expect(expectError(await cool('C1', 1, 2, { chip_ids: ['A', 'ghost'] }), 400, 'bad_request')).toContain(
      'ghost',
    );
    await cool('C1', 1, 2);
    expectError(await cool('C1', 5, 6), 409, 'conflict');
    expectProblems(await cool('C2', 5, 4), [['value_error', 'body', 'ended_at']]);
    expectProblems(await patch('/cooldowns/C1', { started_at: day(3) }), [
      ['value_error', 'body', 'ended_at'],
    ]);
    expect(await listed()).toEqual(['C1']);
  });

  test('overlaps no other one of its cryostat', async () => {
    await cryo('OTHER');
    await cool('C1', 5, 10);
    for (const [from, to] of [
      [1, 6],
      [9, 12],
      [6, 7],
      [1, 20],
      [1, null],
    ] as const) {
      expectError(await cool('C2', from, to), 409, 'conflict');
    }
    read(cooldown, await cool('before', 1, 5), 201);
    read(cooldown, await cool('after', 10, null), 201);
    read(cooldown, await cool('elsewhere', 6, 7, { cryo_id: 'OTHER' }), 201);
    expectError(await patch('/cooldowns/before', { ended_at: day(6) }), 409, 'conflict');
    read(cooldown, await patch('/cooldowns/before', { ended_at: day(4) }));
    read(cooldown, await patch('/cooldowns/C1', { started_at: day(4) }));
    expect(await listed({ cryo_id: 'CRYO' })).toEqual(['after', 'C1', 'before']);
  });

  test('of many that ask for one cryostat at once, one gets it', async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5].map((number) => cool(`C${number}`, number, null)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect(await listed()).toHaveLength(1);
  });

  test('of many concurrent requests for one chip, one gets it, and the others leave nothing behind', async () => {
    for (const number of [1, 2, 3, 4]) await cryo(`CRYO-${number}`);
    const answers = await Promise.all(
      [1, 2, 3, 4].map((number) =>
        cool(`C${number}`, 1, null, { cryo_id: `CRYO-${number}`, chip_ids: ['B', 'A'] }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    const [winner] = await listed();
    expect(await listed()).toHaveLength(1);
    expect((await chipOf('A')).current_cooldown_id).toBe(winner);
    expect((await chipOf('B')).current_cooldown_id).toBe(winner);
  });

  test('takes a chip that is free, and lets it go again', async () => {
    await cryo('OTHER');
    await cool('C1', 1, null);
    await cool('C2', 1, null, { cryo_id: 'OTHER' });
    const assigned = read(cooldown, await post('/cooldowns/C1/chips/A'));
    expect(assigned.chip_ids).toEqual(['A']);
    expect(read(cooldown, await post('/cooldowns/C1/chips/A'))).toEqual(assigned);
    expect((await chipOf('A')).current_cooldown_id).toBe('C1');
    expect(expectError(await post('/cooldowns/C2/chips/A'), 409, 'conflict')).toContain('C1');
    expect(read(cooldown, await remove('/cooldowns/C1/chips/A')).chip_ids).toEqual([]);
    expect((await chipOf('A')).current_cooldown_id).toBeNull();
    read(cooldown, await post('/cooldowns/C2/chips/A'));
    expectError(await post('/cooldowns/C1/chips/ghost'), 404, 'not_found');
    expectError(await post('/cooldowns/none/chips/A'), 404, 'not_found');
    expectError(await remove('/cooldowns/none/chips/A'), 404, 'not_found');
    expect((await remove('/cooldowns/C1/chips/ghost')).status).toBe(200);
  });

  test('that was ended by a process which died before it let its chips out holds none of them', async () => {
    await cryo('OTHER');
    await cool('C1', 1, null, { chip_ids: ['A'] });
    await api.database.db
      .collection<{ _id: string }>('cooldowns')
      .updateOne({ _id: keyOf(project, 'C1') }, { $set: { ended_at: new Date() } });
    await cool('C2', 1, null, { cryo_id: 'OTHER', chip_ids: ['A'] });
    expect((await chipOf('A')).current_cooldown_id).toBe('C2');
  });

  test('with chips or results is deleted only when forced, which lets its chips out', async () => {
    await cool('C1', 1, null, { chip_ids: ['A'] });
    expectError(await remove('/cooldowns/C1'), 409, 'conflict');
    await remove('/cooldowns/C1/chips/A');
    await api.database.db
      .collection<TaskResultDocument>('task_results')
      .insertOne(storedTask(project, owner, { cooldown_id: 'C1' }));
    expectError(await remove('/cooldowns/C1'), 409, 'conflict');
    await post('/cooldowns/C1/chips/A');
    expect((await remove('/cooldowns/C1?force=true')).status).toBe(200);
    expect((await chipOf('A')).current_cooldown_id).toBeNull();
    expectError(await get('/cooldowns/C1'), 404, 'not_found');
    expectError(await remove('/cooldowns/C1'), 404, 'not_found');
    read(cooldown, await cool('C2', 1, null), 201);
    expect((await remove('/cooldowns/C2')).status).toBe(200);
  });

  test('is stamped on what is written of its chips while it goes on, and what is written stays', async () => {
    await cool('C1', 1, null, { chip_ids: ['A'] });
    const { state } = api.areas.chips;
    const write = async (sequence: number, recorded_date: string) => {
      const written = await state.write(
        { project_id: project, chip_id: 'A', kind: 'qubit', qid: '0' },
        { epoch: 1, sequence },
        { status: 'completed', data: {} },
        { recorded_date, cooldown_id: await state.currentCooldown(project, 'A') },
      );
      await written.snapshot();
    };
    await write(1, '20260105');
    await patch('/cooldowns/C1', { ended_at: day(6) });
    await write(2, '20260107');
    const history = await api.database.db
      .collection('qubit_history')
      .find({ project_id: project })
      .sort({ recorded_date: 1 })
      .toArray();
    expect(history.map(({ cooldown_id }) => cooldown_id)).toEqual(['C1', null]);
  });

  test('keeps its wiring, and what it was at each checkpoint', async () => {
    await cool('C1', 1, null);
    const blocks = [{ type: 'paragraph' }, { type: 'image', props: { url: 'x' } }];
    const changed = await patch('/cooldowns/C1', { wiring_info: '# One', wiring_blocks: blocks });
    expect(read(cooldown, changed)).toMatchObject({ wiring_info: '# One', wiring_blocks: blocks });
    const kept = read(
      wiringEvent,
      await post('/cooldowns/C1/wiring-checkpoint', { comment: 'As built' }),
      201,
    );
    expect(kept).toEqual({
      id: expect.any(String),
      cooldown_id: 'C1',
      actor_user_id: owner.id,
      actor: owner.username,
      action: 'checkpoint',
      comment: 'As built',
      wiring_info_snapshot: '# One',
      block_count: 2,
      image_count: 1,
      created_at: expect.stringMatching(/\.\d{3}Z$/),
    });
    await patch('/cooldowns/C1', { wiring_info: '# Two' });
    await post('/cooldowns/C1/wiring-checkpoint', { comment: 'Rewired' });
    const { events } = read(wiringEventList, await get('/cooldowns/C1/wiring-events'));
    expect(events.map(({ wiring_info_snapshot }) => wiring_info_snapshot).sort()).toEqual(['# One', '# Two']);
    expect(
      read(wiringEventList, await get('/cooldowns/C1/wiring-events', { limit: '1', skip: '1' })).events,
    ).toEqual([events[1]]);
    expectProblems(await post('/cooldowns/C1/wiring-checkpoint', { comment: '' }), [
      ['string_too_short', 'body', 'comment'],
    ]);
    expectProblems(await get('/cooldowns/C1/wiring-events', { limit: '501' }), [
      ['less_than_equal', 'query', 'limit'],
    ]);
    expectError(await get('/cooldowns/none/wiring-events'), 404, 'not_found');
    expectError(await post('/cooldowns/none/wiring-checkpoint', { comment: 'x' }), 404, 'not_found');
  });

  test('of another project is neither seen nor in the way', async () => {
    await cool('C1', 1, null, { chip_ids: ['A'] });
    const other = await api.makeProject(owner);
    const as = api.as(owner, other);
    expect(read(cooldownList, await as('/cooldowns')).cooldowns).toEqual([]);
    expectError(await as('/cooldowns/C1'), 404, 'not_found');
    await as('/cryostats', { method: 'POST', body: { cryo_id: 'CRYO' } });
    const made = await as('/cooldowns', {
      method: 'POST',
      body: { cooldown_id: 'C1', cryo_id: 'CRYO', started_at: day(1) },
    });
    expect(made.status).toBe(201);
  });
});
