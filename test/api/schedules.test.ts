import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { flowTemplateDetail } from '../../shared/domain/flows/saved-flow-model.ts';
import { dueTimes, scheduleList } from '../../shared/domain/schedules/model.ts';
import { type Api, expectError, expectProblems, type Person, read } from './harness.ts';
import type { Laboratory } from './laboratory.ts';
import { openScheduling } from './schedule-calls.ts';

let api: Api;
let editor: Person;
let stranger: Person;
let laboratory: Laboratory;
let calls: Awaited<ReturnType<typeof openScheduling>>['calls'];

beforeAll(async () => {
  ({ api, editor, stranger, laboratory, calls } = await openScheduling());
});
afterAll(() => api.close());

describe('a cron schedule', () => {
  test('is due next in its own zone, across a change to summer time', async () => {
    const tokyo = await calls.schedule('rabi', { cron: '0 2 * * *', timezone: 'Asia/Tokyo' });
    expect(tokyo).toMatchObject({
      flow_name: 'rabi',
      schedule_type: 'cron',
      cron: '0 2 * * *',
      active: true,
    });
    expect(tokyo.next_run).toMatch(/T17:00:00\.000Z$/);
    const summer = await calls.schedule('rabi', { cron: '30 1 1 7 *', timezone: 'Europe/Berlin' });
    expect(summer.next_run).toMatch(/-06-30T23:30:00\.000Z$/);
    const winter = await calls.schedule('rabi', { cron: '30 1 1 1 *', timezone: 'Europe/Berlin' });
    expect(winter.next_run).toMatch(/-01-01T00:30:00\.000Z$/);
  });

  test('shows when a cron would be due, in a zone, without scheduling anything', async () => {
    const ask = (query: Record<string, string>) => laboratory.as('/flows/schedules/due-times', { query });
    const { timezone, due_times } = read(
      dueTimes,
      await ask({ cron: '30 2 29 2 *', timezone: 'Europe/Berlin' }),
    );
    expect(timezone).toBe('Europe/Berlin');
    expect(due_times).toHaveLength(5);
    for (const time of due_times) expect(time).toMatch(/-02-29T01:30:00\.000Z$/);
    expect(read(dueTimes, await ask({ cron: '0 2 * * *', count: '2' }))).toMatchObject({
      timezone: 'Asia/Tokyo',
      due_times: [expect.stringMatching(/T17:00:00/), expect.stringMatching(/T17:00:00/)],
    });
    expectError(await ask({ cron: '0 2 31 2 *' }), 400, 'bad_request');
    expectError(await ask({ cron: '0 2 * * *', timezone: 'Moon/Base' }), 400, 'bad_request');
  });

  test("is in the service's zone when it names none", async () => {
    expect((await calls.schedule('rabi', { cron: '15 4 * * 1-5' })).next_run).toMatch(/T19:15:00\.000Z$/);
    expect(await calls.only('rabi')).toMatchObject({ timezone: 'Asia/Tokyo', created_by: editor.username });
  });

  test('replaces the earlier one of its flow, also in the engine, and leaves one-time schedules', async () => {
    await calls.saveFlow('replaced');
    const first = await calls.schedule('replaced', { cron: '0 2 * * *' });
    const once = await calls.schedule('replaced', { scheduled_time: '2099-01-01T00:00:00Z' });
    const second = await calls.schedule('replaced', { cron: '0 3 * * *' });
    expect(second.message).toContain(`0 2 * * * (Asia/Tokyo) of ${editor.username}, id ${first.schedule_id}`);
    const { schedules } = await calls.list('replaced');
    expect(schedules.map((each) => each.schedule_id)).toEqual([second.schedule_id, once.schedule_id]);
    expect(await calls.isGone(first.schedule_id)).toBe(true);
  });

  test('of a flow stays one when several are made at once', async () => {
    await calls.saveFlow('contested');
    const made = await Promise.all(
      [1, 2, 3, 4].map((hour) => calls.schedule('contested', { cron: `0 ${hour} * * *` })),
    );
    const stays = await calls.only('contested');
    for (const { schedule_id } of made) {
      expect(await calls.isGone(schedule_id)).toBe(schedule_id !== stays.schedule_id);
    }
  });

  test.each([
    'every night',
    '* * * *',
    '* * * * * *',
    '61 2 * * *',
    '0 2 * * 9',
    '@daily',
    '@every 5m',
    'CRON_TZ=UTC 0 2 * * *',
    '',
  ])('is 400 for the cron "%s", and leaves nothing', async (cron) => {
    await calls.saveFlow('bad_cron');
    expect(expectError(await calls.post('bad_cron', { cron }), 400, 'bad_request')).toContain('cron');
    expect((await calls.list('bad_cron')).total).toBe(0);
  });

  test('is due on either day when both day fields are given', async () => {
    await calls.saveFlow('either');
    const { schedule_id } = await calls.schedule('either', { cron: '0 0 13 * FRI', timezone: 'UTC' });
    const { spec } = await api.engine.client.schedule.getHandle(schedule_id).describe();
    expect(spec.calendars).toHaveLength(2);
  });

  test('that is never due is refused', async () => {
    const message = expectError(await calls.post('rabi', { cron: '0 0 31 2 *' }), 400, 'bad_request');
    expect(message).toContain('never due');
  });

  test('may begin up to its jitter after the due time, which stays what it is', async () => {
    await calls.saveFlow('jittered');
    const { schedule_id, next_run } = await calls.schedule('jittered', {
      cron: '0 2 * * *',
      jitter_seconds: 900,
    });
    expect(next_run).toMatch(/T17:00:00\.000Z$/);
    const handle = api.engine.client.schedule.getHandle(schedule_id);
    expect((await handle.describe()).spec.jitter).toBe(900_000);
    expect((await calls.only('jittered')).jitter_seconds).toBe(900);
    await calls.patch(schedule_id, { active: true, jitter_seconds: 0 });
    expect((await handle.describe()).spec.jitter).toBe(0);
    expectProblems(await calls.post('jittered', { cron: '0 2 * * *', jitter_seconds: 4000 }), [
      ['less_than_equal', 'body', 'jitter_seconds'],
    ]);
  });
});

describe('a one-time schedule', () => {
  test('takes a time with an offset as it is, and one without in its zone', async () => {
    await calls.saveFlow('once');
    const offset = await calls.schedule('once', {
      scheduled_time: '2099-03-01T02:00:00+02:00',
      timezone: 'UTC',
    });
    expect(offset).toMatchObject({ schedule_type: 'one-time', cron: null });
    expect(offset.next_run).toBe('2099-03-01T00:00:00.000Z');
    const naive = await calls.schedule('once', { scheduled_time: '2099-03-01T02:00:00' });
    expect(naive.next_run).toBe('2099-02-28T17:00:00.000Z');
    const berlin = await calls.schedule('once', {
      scheduled_time: '2099-07-01 02:00'.replace(' ', 'T'),
      timezone: 'Europe/Berlin',
    });
    expect(berlin.next_run).toBe('2099-07-01T00:00:00.000Z');
  });

  test.each([
    ['a past time', { scheduled_time: '2020-01-01T00:00:00Z' }],
    ['no time', { scheduled_time: 'tomorrow' }],
    ['a day that does not exist', { scheduled_time: '2099-02-30T00:00:00Z' }],
    ['a year after 2100', { scheduled_time: '2101-01-01T00:00:00Z' }],
  ])('is 400 for %s, which blames the time', async (_, body) => {
    const message = expectError(await calls.post('rabi', body), 400, 'bad_request');
    expect(message).toContain('scheduled_time');
    expect(message).not.toContain('cron');
  });

  test.each(['Mars/Olympus', '+09:00', '', 'Local'])(
    'or a cron is 400 for the zone "%s", which it blames',
    async (timezone) => {
      for (const when of [{ scheduled_time: '2099-01-01T00:00:00' }, { cron: '0 2 * * *' }]) {
        const message = expectError(await calls.post('rabi', { ...when, timezone }), 400, 'bad_request');
        expect(message).toContain('timezone');
        expect(message).not.toContain('cron');
      }
    },
  );

  test('or a cron takes the name of a zone in any case, and old names', async () => {
    await calls.saveFlow('zoned');
    for (const timezone of ['asia/tokyo', 'Asia/Calcutta', 'US/Pacific', 'UTC', 'Etc/GMT+5']) {
      expect(await calls.post('zoned', { cron: '0 2 * * *', timezone })).toMatchObject({ status: 200 });
    }
  });

  test.each([
    ['both a cron and a time', { cron: '0 2 * * *', scheduled_time: '2099-01-01T00:00:00Z' }],
    ['neither', {}],
  ])('is 400 for %s', async (_, body) => {
    expectError(await calls.post('rabi', body), 400, 'bad_request');
  });
});

describe('parameters', () => {
  const declared = `export const parameters = { count: { type: 'integer', description: 'How often' } };

export async function rabi(session) {
  await session.run({ name: 'Rabi', tasks: ['CheckRabi'], targets: session.targets.all() });
}
`;

  test('are checked when the schedule is made and changed, as execute checks them', async () => {
    const body = { name: 'declared', code: declared, chip_id: 'CHIP', flow_function_name: 'rabi' };
    expect(await laboratory.as('/flows', { method: 'POST', body })).toMatchObject({ status: 200 });
    for (const [parameters, code] of [
      [{ count: 'many' }, 'invalid_parameters'],
      [{ number: 3 }, 'invalid_parameters'],
      [{ backend_name: 'nowhere' }, 'bad_request'],
      [{ chip_id: 'OTHER' }, 'not_found'],
    ] as const) {
      const executed = await laboratory.as('/flows/declared/execute', {
        method: 'POST',
        body: { parameters },
      });
      const refused = await calls.post('declared', { cron: '0 2 * * *', parameters });
      expect(expectError(refused, executed.status, code)).toBe(expectError(executed, executed.status, code));
    }
    const { schedule_id } = await calls.schedule('declared', { cron: '0 2 * * *', parameters: { count: 3 } });
    expectError(
      await calls.patch(schedule_id, { active: true, parameters: { count: 'x' } }),
      400,
      'invalid_parameters',
    );
    expect((await calls.only('declared')).parameters).toEqual({ count: 3 });
  });

  test('of the template for maintenance limit it to 40 minutes of each hour of a night', async () => {
    const { code, function_name } = read(
      flowTemplateDetail,
      await laboratory.as('/flows/templates/maintain'),
    );
    const body = { name: 'night', code, chip_id: 'CHIP', flow_function_name: function_name };
    expect(await laboratory.as('/flows', { method: 'POST', body })).toMatchObject({ status: 200 });
    const cron = '0 22,23,0-5 * * *';
    const { schedule_id } = await calls.schedule('night', { cron, parameters: { minutes: 40 } });
    expect(await calls.only('night')).toMatchObject({ schedule_id, parameters: { minutes: 40 } });
    expectError(await calls.post('night', { cron, parameters: { minutes: 0 } }), 400, 'invalid_parameters');

    const query = { cron, timezone: 'UTC', count: '8' };
    const due = read(dueTimes, await laboratory.as('/flows/schedules/due-times', { query })).due_times;
    const hours = due.map((time) => new Date(time).getUTCHours()).sort((one, other) => one - other);
    expect(hours).toEqual([0, 1, 2, 3, 4, 5, 22, 23]);
  });
});

describe('lists of schedules', () => {
  test('have what is to come by its due time first, then what is paused, then what is over', async () => {
    await calls.saveFlow('ordered');
    const far = await calls.schedule('ordered', { scheduled_time: '2095-01-01T00:00:00Z' });
    const over = await calls.schedule('ordered', { scheduled_time: '2094-01-01T00:00:00Z' });
    const paused = await calls.schedule('ordered', { scheduled_time: '2093-01-01T00:00:00Z', active: false });
    const cron = await calls.schedule('ordered', { cron: '0 2 * * *' });
    const rows = api.database.db.collection('schedules');
    const past = new Date(Date.now() - 3_600_000);
    await rows.updateOne(
      { project_id: laboratory.project, schedule_id: over.schedule_id },
      { $set: { active: false, scheduled_time: past, order_at: past } },
    );
    // Nobody has looked since its last due time.
    await rows.updateOne(
      { project_id: laboratory.project, schedule_id: cron.schedule_id },
      { $set: { order_at: past } },
    );
    const { schedules } = await calls.list('ordered');
    expect(schedules.map((each) => each.schedule_id)).toEqual(
      [cron, far, paused, over].map((each) => each.schedule_id),
    );
    expect(schedules.map((each) => each.next_run)).toEqual([cron.next_run, far.next_run, null, null]);
  });

  test('leave out what was over more than 30 days ago', async () => {
    await calls.saveFlow('old');
    const { schedule_id } = await calls.schedule('old', { scheduled_time: '2093-01-01T00:00:00Z' });
    const at = new Date(Date.now() - 31 * 24 * 3_600_000);
    await api.database.db
      .collection('schedules')
      .updateOne(
        { project_id: laboratory.project, schedule_id },
        { $set: { active: false, scheduled_time: at, order_at: at, order_rank: 2 } },
      );
    expect((await calls.list('old')).total).toBe(0);
  });

  test('page, say their page, and count truly', async () => {
    await calls.saveFlow('listed');
    await calls.schedule('listed', { cron: '0 2 * * *' });
    for (const year of [2093, 2091, 2092])
      await calls.schedule('listed', { scheduled_time: `${year}-01-01T00:00:00Z` });
    const { schedules, total } = await calls.list('listed');
    expect(schedules.map(({ next_run }) => next_run?.slice(0, 4)).slice(1)).toEqual(['2091', '2092', '2093']);
    expect(schedules[0]?.schedule_type).toBe('cron');
    expect(total).toBe(4);
    const page = await calls.list('listed', { limit: '2', offset: '1' });
    expect(page.schedules.map((each) => each.schedule_id)).toEqual(
      schedules.slice(1, 3).map((each) => each.schedule_id),
    );
    expect(page).toMatchObject({ total: 4, limit: 2, offset: 1 });
    expect(await calls.list('listed', { limit: '101' })).toMatchObject({ total: 4, limit: 100, schedules });
  });

  test('of the project hold those of all its flows, and no other project’s', async () => {
    const all = read(scheduleList, await laboratory.as('/flows/schedules', { query: { limit: '100' } }));
    expect(new Set(all.schedules.map((each) => each.flow_name)).size).toBeGreaterThan(1);
    const other = await api.makeProject(stranger);
    expect(read(scheduleList, await api.as(stranger, other)('/flows/schedules'))).toEqual({
      schedules: [],
      total: 0,
      limit: 50,
      offset: 0,
    });
  });

  test('are there while the engine is away, with all due times', async () => {
    const { server, close } = await api.withoutEngine();
    const answer = await server.inject({
      url: '/flows/listed/schedules',
      headers: { authorization: `Bearer ${editor.token}`, 'x-project-id': laboratory.project },
    });
    expect(answer.statusCode).toBe(200);
    const { schedules, total } = scheduleList.parse(answer.json());
    expect(total).toBe(4);
    expect(schedules.map(({ next_run }) => next_run?.slice(10, 25))).toEqual([
      'T17:00:00.000Z',
      ...Array.from({ length: 3 }, () => 'T00:00:00.000Z'),
    ]);
    await close();
  });

  test('are 422 outside of their bounds, 404 for an unknown flow', async () => {
    for (const [name, value, problem] of [
      ['limit', '0', 'greater_than_equal'],
      ['offset', '-1', 'greater_than_equal'],
    ] as const) {
      const answer = await laboratory.as('/flows/schedules', { query: { [name]: value } });
      expectProblems(answer, [[problem, 'query', name]]);
    }
    expectError(await laboratory.as('/flows/unknown/schedules'), 404, 'not_found');
  });
});
