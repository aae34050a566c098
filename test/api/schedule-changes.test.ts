import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scheduleAnswer, scheduleChanged, scheduleDeleted } from '../../shared/domain/schedules/model.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { type Api, expectError, expectProblems, type Person, read } from './harness.ts';
import type { Laboratory } from './laboratory.ts';
import { openScheduling } from './schedule-calls.ts';

let api: Api;
let editor: Person;
let viewer: Person;
let stranger: Person;
let laboratory: Laboratory;
let calls: Awaited<ReturnType<typeof openScheduling>>['calls'];

beforeAll(async () => {
  ({ api, editor, viewer, stranger, laboratory, calls } = await openScheduling());
  await calls.schedule('rabi', { cron: '15 4 * * 1-5' });
});
afterAll(() => api.close());

describe('changing a schedule', () => {
  test('pauses and resumes it, of either kind', async () => {
    await calls.saveFlow('paused');
    const cron = await calls.schedule('paused', { cron: '0 2 * * *' });
    const once = await calls.schedule('paused', { scheduled_time: '2099-01-01T00:00:00Z' });
    for (const { schedule_id } of [cron, once]) {
      expect(read(scheduleChanged, await calls.patch(schedule_id, { active: false })).schedule_id).toBe(
        schedule_id,
      );
    }
    expect((await calls.list('paused')).schedules.map(({ active, next_run }) => [active, next_run])).toEqual([
      [false, null],
      [false, null],
    ]);
    for (const { schedule_id } of [cron, once]) await calls.patch(schedule_id, { active: true });
    const { schedules } = await calls.list('paused');
    expect(schedules.map(({ active, next_run }) => [active, next_run])).toEqual([
      [true, cron.next_run],
      [true, once.next_run],
    ]);
  });

  test('sets cron, zone and parameters of one, the time of the other', async () => {
    await calls.saveFlow('changed');
    const cron = await calls.schedule('changed', { cron: '0 2 * * *', parameters: { a: 1 } });
    await calls.patch(cron.schedule_id, {
      active: true,
      cron: '0 5 * * *',
      timezone: 'UTC',
      parameters: { a: 2 },
    });
    expect(await calls.only('changed')).toMatchObject({
      cron: '0 5 * * *',
      timezone: 'UTC',
      parameters: { a: 2 },
    });
    expect((await calls.only('changed')).next_run).toMatch(/T05:00:00\.000Z$/);
    await calls.remove(cron.schedule_id);
    const once = await calls.schedule('changed', { scheduled_time: '2098-01-01T00:00:00Z' });
    await calls.patch(once.schedule_id, {
      active: true,
      scheduled_time: '2099-06-01T00:00:00',
      timezone: 'UTC',
    });
    expect((await calls.only('changed')).next_run).toBe('2099-06-01T00:00:00.000Z');
  });

  test('gives a time that has come, and is off in the engine, another one', async () => {
    await calls.saveFlow('again');
    const { schedule_id } = await calls.schedule('again', { scheduled_time: '2098-01-01T00:00:00Z' });
    await api.engine.client.schedule.getHandle(schedule_id).delete();
    const change = { active: true, scheduled_time: '2099-01-01T00:00:00Z', timezone: 'UTC' };
    read(scheduleChanged, await calls.patch(schedule_id, change));
    expect(await calls.only('again')).toMatchObject({ active: true, next_run: '2099-01-01T00:00:00.000Z' });
  });

  test('takes words for active, as every yes or no', async () => {
    await calls.saveFlow('worded');
    const { schedule_id, active } = await calls.schedule('worded', { cron: '0 2 * * *', active: 'off' });
    expect(active).toBe(false);
    read(scheduleChanged, await calls.patch(schedule_id, { active: 'yes' }));
    expect(await calls.only('worded')).toMatchObject({ active: true });
  });

  test('is 400 for what cannot be, and changes nothing', async () => {
    await calls.saveFlow('unchanged');
    const { schedule_id } = await calls.schedule('unchanged', { cron: '0 2 * * *' });
    const before = await calls.only('unchanged');
    for (const change of [
      { cron: '99 * * * *' },
      { scheduled_time: '2099-01-01' },
      { timezone: 'Nowhere' },
    ]) {
      expectError(await calls.patch(schedule_id, { active: true, ...change }), 400, 'bad_request');
    }
    expect(await calls.only('unchanged')).toEqual(before);
    await calls.remove(schedule_id);
    const once = await calls.schedule('unchanged', { scheduled_time: '2099-01-01T00:00:00Z' });
    for (const change of [{ cron: '0 2 * * *' }, { scheduled_time: '2001-01-01T00:00:00Z' }]) {
      expectError(await calls.patch(once.schedule_id, { active: true, ...change }), 400, 'bad_request');
    }
  });

  test('is 422 without active, 400 for an id that is not a UUID, 404 for an unknown one', async () => {
    const { schedule_id } = await calls.only('rabi');
    expectProblems(await calls.patch(schedule_id, {}), [['missing', 'body', 'active']]);
    expectError(await calls.patch('nightly', { active: true }), 400, 'bad_request');
    expectError(await calls.patch(newId(), { active: true }), 404, 'not_found');
  });
});

describe('a schedule whose maker may not start runs any more', () => {
  const rename = (person: Person, role: string) =>
    api.as(editor, laboratory.project)(`/projects/${laboratory.project}/members/${person.username}`, {
      method: 'PATCH',
      body: { role },
    });
  const made = async (name: string) => {
    const maker = await api.makePerson();
    await api.addMember(laboratory.project, maker, 'editor');
    await calls.saveFlow(name);
    const { schedule_id } = read(scheduleAnswer, await calls.post(name, { cron: '0 2 * * *' }, maker));
    return { maker, schedule_id };
  };
  const isPaused = async (id: string) =>
    (await api.engine.client.schedule.getHandle(id).describe()).state.paused;

  test.each([
    [
      'demoted',
      async (maker: Person) => expect(await rename(maker, 'viewer')).toMatchObject({ status: 200 }),
      'may only read in this project.',
    ],
    [
      'removed',
      async (maker: Person) => {
        const url = `/projects/${laboratory.project}/members/${maker.username}`;
        expect(await api.as(editor)(url, { method: 'DELETE' })).toMatchObject({ status: 204 });
      },
      'is not a member of this project any more.',
    ],
    [
      'disabled',
      async (maker: Person) => {
        const administrator = await api.makePerson({ system_role: 'admin' });
        const answer = await api.as(administrator)(`/admin/users/${maker.username}`, {
          method: 'PUT',
          body: { disabled: true },
        });
        expect(answer).toMatchObject({ status: 200 });
      },
      'is disabled.',
    ],
    [
      'deleted',
      async (maker: Person) => {
        const administrator = await api.makePerson({ system_role: 'admin' });
        const url = `/admin/users/${maker.username}`;
        expect(await api.as(administrator)(url, { method: 'DELETE' })).toMatchObject({ status: 200 });
      },
      'was deleted.',
    ],
  ])(
    'because they were %s is paused at once with the reason, until a member takes it over',
    async (what, happens, reason) => {
      const { maker, schedule_id } = await made(`maker_${what}`);
      expect(await calls.only(`maker_${what}`)).toMatchObject({
        created_by: maker.username,
        runs_as: maker.username,
        paused_reason: null,
      });
      await happens(maker);
      expect(await calls.only(`maker_${what}`)).toMatchObject({
        active: false,
        next_run: null,
        paused_reason: expect.stringContaining(reason),
      });
      expect(await isPaused(schedule_id)).toBe(true);
      read(scheduleChanged, await calls.patch(schedule_id, { active: true }));
      expect(await calls.only(`maker_${what}`)).toMatchObject({
        active: true,
        created_by: maker.username,
        runs_as: editor.username,
        paused_reason: null,
      });
      expect(await isPaused(schedule_id)).toBe(false);
    },
  );

  test('stays in their name when another changes it while they still may', async () => {
    const { maker, schedule_id } = await made('maker_stays');
    read(scheduleChanged, await calls.patch(schedule_id, { active: true, cron: '0 3 * * *' }));
    expect(await calls.only('maker_stays')).toMatchObject({ runs_as: maker.username, cron: '0 3 * * *' });
  });
});

describe('deleting', () => {
  test('takes a schedule off, once', async () => {
    await calls.saveFlow('deleted');
    const { schedule_id } = await calls.schedule('deleted', { cron: '0 2 * * *' });
    expect(read(scheduleDeleted, await calls.remove(schedule_id))).toMatchObject({
      schedule_id,
      schedule_type: 'cron',
    });
    expect(await calls.isGone(schedule_id)).toBe(true);
    expectError(await calls.remove(schedule_id), 404, 'not_found');
    expectError(await calls.remove('nightly'), 400, 'bad_request');
  });

  test('a flow takes its schedules along', async () => {
    await calls.saveFlow('doomed');
    const { schedule_id } = await calls.schedule('doomed', { cron: '0 2 * * *' });
    expect(await laboratory.as('/flows/doomed', { method: 'DELETE' })).toMatchObject({ status: 200 });
    expect(await calls.isGone(schedule_id)).toBe(true);
    expectError(await laboratory.as('/flows/doomed'), 404, 'not_found');
    expectError(await laboratory.as('/flows/doomed', { method: 'DELETE' }), 404, 'not_found');
  });

  test('a flow leaves no schedule that is made at the same moment', async () => {
    for (const year of [2091, 2092, 2093]) {
      await calls.saveFlow('raced');
      const [, made] = await Promise.all([
        laboratory.as('/flows/raced', { method: 'DELETE' }),
        calls.post('raced', { scheduled_time: `${year}-01-01T00:00:00Z` }),
      ]);
      expect([200, 404]).toContain(made.status);
      const left = api.database.db.collection('schedules').countDocuments({ flow_name: 'raced' });
      expect(await left).toBe(0);
    }
  });
});

test('viewers see schedules and change none, strangers see none', async () => {
  const { schedule_id } = await calls.only('rabi');
  expect(await api.as(viewer, laboratory.project)('/flows/schedules')).toMatchObject({ status: 200 });
  for (const person of [viewer, stranger]) {
    expectError(await calls.post('rabi', { cron: '0 2 * * *' }, person), 403, 'forbidden');
    expectError(await calls.patch(schedule_id, { active: false }, person), 403, 'forbidden');
    expectError(await calls.remove(schedule_id, person), 403, 'forbidden');
    expectError(
      await api.as(person, laboratory.project)('/flows/rabi', { method: 'DELETE' }),
      403,
      'forbidden',
    );
  }
  const foreign = await api.makeProject(stranger);
  expectError(
    await api.as(stranger, foreign)(`/flows/schedules/${schedule_id}`, { method: 'DELETE' }),
    404,
    'not_found',
  );
});
