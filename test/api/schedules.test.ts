import { ScheduleNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ScheduleItem,
  scheduleAnswer,
  scheduleChanged,
  scheduleDeleted,
  scheduleList,
} from '../../shared/domain/schedules/model.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';
import { code, type Laboratory, makeLaboratory } from './laboratory.ts';

let api: Api;
let editor: Person;
let viewer: Person;
let stranger: Person;
let laboratory: Laboratory;

beforeAll(async () => {
  api = await startApi({ engine: 'prepared' });
  [editor, viewer, stranger] = await Promise.all([api.makePerson(), api.makePerson(), api.makePerson()]);
  laboratory = await makeLaboratory(api, editor, viewer);
});
afterAll(() => api.close());

const saveFlow = async (name: string) => {
  const body = { name, code, chip_id: 'CHIP', flow_function_name: 'rabi' };
  expect(await laboratory.as('/flows', { method: 'POST', body })).toMatchObject({ status: 200 });
};
const post = (name: string, body: unknown, person = editor) =>
  api.as(person, laboratory.project)(`/flows/${name}/schedule`, { method: 'POST', body });
const schedule = async (name: string, body: unknown) => read(scheduleAnswer, await post(name, body));
const patch = (id: string, body: unknown, person = editor) =>
  api.as(person, laboratory.project)(`/flows/schedules/${id}`, { method: 'PATCH', body });
const remove = (id: string, person = editor) =>
  api.as(person, laboratory.project)(`/flows/schedules/${id}`, { method: 'DELETE' });
const list = async (name: string, query: Record<string, string> = {}) =>
  read(scheduleList, await laboratory.as(`/flows/${name}/schedules`, { query }));
const only = async (name: string): Promise<ScheduleItem> => {
  const { schedules, total } = await list(name);
  expect(total).toBe(1);
  return schedules[0] ?? expect.fail('no schedule');
};
const isGone = async (id: string) =>
  api.engine.client.schedule
    .getHandle(id)
    .describe()
    .then(
      () => false,
      (thrown: unknown) => thrown instanceof ScheduleNotFoundError,
    );

describe('a cron schedule', () => {
  test('is due next in its own zone, across a change to summer time', async () => {
    const tokyo = await schedule('rabi', { cron: '0 2 * * *', timezone: 'Asia/Tokyo' });
    expect(tokyo).toMatchObject({
      flow_name: 'rabi',
      schedule_type: 'cron',
      cron: '0 2 * * *',
      active: true,
    });
    expect(tokyo.next_run).toMatch(/T02:00:00\+09:00$/);
    const summer = await schedule('rabi', { cron: '30 1 1 7 *', timezone: 'Europe/Berlin' });
    expect(summer.next_run).toMatch(/-07-01T01:30:00\+02:00$/);
    const winter = await schedule('rabi', { cron: '30 1 1 1 *', timezone: 'Europe/Berlin' });
    expect(winter.next_run).toMatch(/-01-01T01:30:00\+01:00$/);
  });

  test("is in the service's zone when it names none", async () => {
    expect((await schedule('rabi', { cron: '15 4 * * 1-5' })).next_run).toMatch(/T04:15:00\+09:00$/);
    expect(await only('rabi')).toMatchObject({ timezone: 'Asia/Tokyo', created_by: editor.username });
  });

  test('replaces the earlier one of its flow, also in the engine, and leaves one-time schedules', async () => {
    await saveFlow('replaced');
    const first = await schedule('replaced', { cron: '0 2 * * *' });
    const once = await schedule('replaced', { scheduled_time: '2099-01-01T00:00:00Z' });
    const second = await schedule('replaced', { cron: '0 3 * * *' });
    const { schedules } = await list('replaced');
    expect(schedules.map((each) => each.schedule_id)).toEqual([second.schedule_id, once.schedule_id]);
    expect(await isGone(first.schedule_id)).toBe(true);
  });

  test('of a flow stays one when several are made at once', async () => {
    await saveFlow('contested');
    const made = await Promise.all(
      [1, 2, 3, 4].map((hour) => schedule('contested', { cron: `0 ${hour} * * *` })),
    );
    const stays = await only('contested');
    for (const { schedule_id } of made) {
      expect(await isGone(schedule_id)).toBe(schedule_id !== stays.schedule_id);
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
    await saveFlow('bad_cron');
    expect(expectError(await post('bad_cron', { cron }), 400, 'bad_request')).toContain('cron');
    expect((await list('bad_cron')).total).toBe(0);
  });

  test('is due on either day when both day fields are given', async () => {
    await saveFlow('either');
    const { schedule_id } = await schedule('either', { cron: '0 0 13 * FRI', timezone: 'UTC' });
    const { spec } = await api.engine.client.schedule.getHandle(schedule_id).describe();
    expect(spec.calendars).toHaveLength(2);
  });

  test('that is never due is refused', async () => {
    const sentence = expectError(await post('rabi', { cron: '0 0 31 2 *' }), 400, 'bad_request');
    expect(sentence).toContain('never due');
  });

  test('may begin up to its jitter after the due time, which stays what it is', async () => {
    await saveFlow('jittered');
    const { schedule_id, next_run } = await schedule('jittered', { cron: '0 2 * * *', jitter_seconds: 900 });
    expect(next_run).toMatch(/T02:00:00\+09:00$/);
    const handle = api.engine.client.schedule.getHandle(schedule_id);
    expect((await handle.describe()).spec.jitter).toBe(900_000);
    expect((await only('jittered')).jitter_seconds).toBe(900);
    await patch(schedule_id, { active: true, jitter_seconds: 0 });
    expect((await handle.describe()).spec.jitter).toBe(0);
    expectProblems(await post('jittered', { cron: '0 2 * * *', jitter_seconds: 4000 }), [
      ['less_than_equal', 'body', 'jitter_seconds'],
    ]);
  });
});

describe('a one-time schedule', () => {
  test('takes a time with an offset as it is, and one without in its zone', async () => {
    await saveFlow('once');
    const offset = await schedule('once', { scheduled_time: '2099-03-01T02:00:00+02:00', timezone: 'UTC' });
    expect(offset).toMatchObject({ schedule_type: 'one-time', cron: null });
    expect(offset.next_run).toBe('2099-03-01T00:00:00Z');
    const naive = await schedule('once', { scheduled_time: '2099-03-01T02:00:00' });
    expect(naive.next_run).toBe('2099-03-01T02:00:00+09:00');
    const berlin = await schedule('once', {
      scheduled_time: '2099-07-01 02:00'.replace(' ', 'T'),
      timezone: 'Europe/Berlin',
    });
    expect(berlin.next_run).toBe('2099-07-01T02:00:00+02:00');
  });

  test.each([
    ['a past time', { scheduled_time: '2020-01-01T00:00:00Z' }],
    ['no time', { scheduled_time: 'tomorrow' }],
    ['a day that does not exist', { scheduled_time: '2099-02-30T00:00:00Z' }],
    ['a year after 2100', { scheduled_time: '2101-01-01T00:00:00Z' }],
  ])('is 400 for %s, which blames the time', async (_, body) => {
    const sentence = expectError(await post('rabi', body), 400, 'bad_request');
    expect(sentence).toContain('scheduled_time');
    expect(sentence).not.toContain('cron');
  });

  test.each(['Mars/Olympus', '+09:00', '', 'Local'])(
    'or a cron is 400 for the zone "%s", which it blames',
    async (timezone) => {
      for (const when of [{ scheduled_time: '2099-01-01T00:00:00' }, { cron: '0 2 * * *' }]) {
        const sentence = expectError(await post('rabi', { ...when, timezone }), 400, 'bad_request');
        expect(sentence).toContain('timezone');
        expect(sentence).not.toContain('cron');
      }
    },
  );

  test('or a cron takes the name of a zone in any case, and old names', async () => {
    await saveFlow('zoned');
    for (const timezone of ['asia/tokyo', 'Asia/Calcutta', 'US/Pacific', 'UTC', 'Etc/GMT+5']) {
      expect(await post('zoned', { cron: '0 2 * * *', timezone })).toMatchObject({ status: 200 });
    }
  });

  test.each([
    ['both a cron and a time', { cron: '0 2 * * *', scheduled_time: '2099-01-01T00:00:00Z' }],
    ['neither', {}],
  ])('is 400 for %s', async (_, body) => {
    expectError(await post('rabi', body), 400, 'bad_request');
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
      const refused = await post('declared', { cron: '0 2 * * *', parameters });
      expect(expectError(refused, executed.status, code)).toBe(expectError(executed, executed.status, code));
    }
    const { schedule_id } = await schedule('declared', { cron: '0 2 * * *', parameters: { count: 3 } });
    expectError(
      await patch(schedule_id, { active: true, parameters: { count: 'x' } }),
      400,
      'invalid_parameters',
    );
    expect((await only('declared')).parameters).toEqual({ count: 3 });
  });
});

describe('lists of schedules', () => {
  test('have what is to come by its due time first, then what is paused, then what is over', async () => {
    await saveFlow('ordered');
    const far = await schedule('ordered', { scheduled_time: '2095-01-01T00:00:00Z' });
    const over = await schedule('ordered', { scheduled_time: '2094-01-01T00:00:00Z' });
    const paused = await schedule('ordered', { scheduled_time: '2093-01-01T00:00:00Z', active: false });
    const cron = await schedule('ordered', { cron: '0 2 * * *' });
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
    const { schedules } = await list('ordered');
    expect(schedules.map((each) => each.schedule_id)).toEqual(
      [cron, far, paused, over].map((each) => each.schedule_id),
    );
    expect(schedules.map((each) => each.next_run)).toEqual([cron.next_run, far.next_run, null, null]);
  });

  test('leave out what was over more than 30 days ago', async () => {
    await saveFlow('old');
    const { schedule_id } = await schedule('old', { scheduled_time: '2093-01-01T00:00:00Z' });
    const at = new Date(Date.now() - 31 * 24 * 3_600_000);
    await api.database.db
      .collection('schedules')
      .updateOne(
        { project_id: laboratory.project, schedule_id },
        { $set: { active: false, scheduled_time: at, order_at: at, order_rank: 2 } },
      );
    expect((await list('old')).total).toBe(0);
  });

  test('page, say their page, and count truly', async () => {
    await saveFlow('listed');
    await schedule('listed', { cron: '0 2 * * *' });
    for (const year of [2093, 2091, 2092])
      await schedule('listed', { scheduled_time: `${year}-01-01T00:00:00Z` });
    const { schedules, total } = await list('listed');
    expect(schedules.map(({ next_run }) => next_run?.slice(0, 4)).slice(1)).toEqual(['2091', '2092', '2093']);
    expect(schedules[0]?.schedule_type).toBe('cron');
    expect(total).toBe(4);
    const page = await list('listed', { limit: '2', offset: '1' });
    expect(page.schedules.map((each) => each.schedule_id)).toEqual(
      schedules.slice(1, 3).map((each) => each.schedule_id),
    );
    expect(page).toMatchObject({ total: 4, limit: 2, offset: 1 });
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
      'T02:00:00+09:00',
      ...Array.from({ length: 3 }, () => 'T09:00:00+09:00'),
    ]);
    await close();
  });

  test('are 422 outside of their bounds, 404 for an unknown flow', async () => {
    for (const [name, value, problem] of [
      ['limit', '0', 'greater_than_equal'],
      ['limit', '101', 'less_than_equal'],
      ['offset', '-1', 'greater_than_equal'],
    ] as const) {
      const answer = await laboratory.as('/flows/schedules', { query: { [name]: value } });
      expectProblems(answer, [[problem, 'query', name]]);
    }
    expectError(await laboratory.as('/flows/unknown/schedules'), 404, 'not_found');
  });
});

describe('changing a schedule', () => {
  test('pauses and resumes it, of either kind', async () => {
    await saveFlow('paused');
    const cron = await schedule('paused', { cron: '0 2 * * *' });
    const once = await schedule('paused', { scheduled_time: '2099-01-01T00:00:00Z' });
    for (const { schedule_id } of [cron, once]) {
      expect(read(scheduleChanged, await patch(schedule_id, { active: false })).schedule_id).toBe(
        schedule_id,
      );
    }
    expect((await list('paused')).schedules.map(({ active, next_run }) => [active, next_run])).toEqual([
      [false, null],
      [false, null],
    ]);
    for (const { schedule_id } of [cron, once]) await patch(schedule_id, { active: true });
    const { schedules } = await list('paused');
    expect(schedules.map(({ active, next_run }) => [active, next_run])).toEqual([
      [true, cron.next_run],
      [true, once.next_run],
    ]);
  });

  test('sets cron, zone and parameters of one, the time of the other', async () => {
    await saveFlow('changed');
    const cron = await schedule('changed', { cron: '0 2 * * *', parameters: { a: 1 } });
    await patch(cron.schedule_id, {
      active: true,
      cron: '0 5 * * *',
      timezone: 'UTC',
      parameters: { a: 2 },
    });
    expect(await only('changed')).toMatchObject({ cron: '0 5 * * *', timezone: 'UTC', parameters: { a: 2 } });
    expect((await only('changed')).next_run).toMatch(/T05:00:00Z$/);
    await remove(cron.schedule_id);
    const once = await schedule('changed', { scheduled_time: '2098-01-01T00:00:00Z' });
    await patch(once.schedule_id, { active: true, scheduled_time: '2099-06-01T00:00:00', timezone: 'UTC' });
    expect((await only('changed')).next_run).toBe('2099-06-01T00:00:00Z');
  });

  test('gives a time that has come, and is off in the engine, another one', async () => {
    await saveFlow('again');
    const { schedule_id } = await schedule('again', { scheduled_time: '2098-01-01T00:00:00Z' });
    await api.engine.client.schedule.getHandle(schedule_id).delete();
    const change = { active: true, scheduled_time: '2099-01-01T00:00:00Z', timezone: 'UTC' };
    read(scheduleChanged, await patch(schedule_id, change));
    expect(await only('again')).toMatchObject({ active: true, next_run: '2099-01-01T00:00:00Z' });
  });

  test('takes words for active, as every yes or no', async () => {
    await saveFlow('worded');
    const { schedule_id, active } = await schedule('worded', { cron: '0 2 * * *', active: 'off' });
    expect(active).toBe(false);
    read(scheduleChanged, await patch(schedule_id, { active: 'yes' }));
    expect(await only('worded')).toMatchObject({ active: true });
  });

  test('is 400 for what cannot be, and changes nothing', async () => {
    await saveFlow('unchanged');
    const { schedule_id } = await schedule('unchanged', { cron: '0 2 * * *' });
    const before = await only('unchanged');
    for (const change of [
      { cron: '99 * * * *' },
      { scheduled_time: '2099-01-01' },
      { timezone: 'Nowhere' },
    ]) {
      expectError(await patch(schedule_id, { active: true, ...change }), 400, 'bad_request');
    }
    expect(await only('unchanged')).toEqual(before);
    await remove(schedule_id);
    const once = await schedule('unchanged', { scheduled_time: '2099-01-01T00:00:00Z' });
    for (const change of [{ cron: '0 2 * * *' }, { scheduled_time: '2001-01-01T00:00:00Z' }]) {
      expectError(await patch(once.schedule_id, { active: true, ...change }), 400, 'bad_request');
    }
  });

  test('is 422 without active, 400 for an id that is not a UUID, 404 for an unknown one', async () => {
    const { schedule_id } = await only('rabi');
    expectProblems(await patch(schedule_id, {}), [['missing', 'body', 'active']]);
    expectError(await patch('nightly', { active: true }), 400, 'bad_request');
    expectError(await patch(newId(), { active: true }), 404, 'not_found');
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
    await saveFlow(name);
    const { schedule_id } = read(scheduleAnswer, await post(name, { cron: '0 2 * * *' }, maker));
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
      expect(await only(`maker_${what}`)).toMatchObject({
        created_by: maker.username,
        runs_as: maker.username,
        paused_reason: null,
      });
      await happens(maker);
      expect(await only(`maker_${what}`)).toMatchObject({
        active: false,
        next_run: null,
        paused_reason: expect.stringContaining(reason),
      });
      expect(await isPaused(schedule_id)).toBe(true);
      read(scheduleChanged, await patch(schedule_id, { active: true }));
      expect(await only(`maker_${what}`)).toMatchObject({
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
    read(scheduleChanged, await patch(schedule_id, { active: true, cron: '0 3 * * *' }));
    expect(await only('maker_stays')).toMatchObject({ runs_as: maker.username, cron: '0 3 * * *' });
  });
});

describe('deleting', () => {
  test('takes a schedule off, once', async () => {
    await saveFlow('deleted');
    const { schedule_id } = await schedule('deleted', { cron: '0 2 * * *' });
    expect(read(scheduleDeleted, await remove(schedule_id))).toMatchObject({
      schedule_id,
      schedule_type: 'cron',
    });
    expect(await isGone(schedule_id)).toBe(true);
    expectError(await remove(schedule_id), 404, 'not_found');
    expectError(await remove('nightly'), 400, 'bad_request');
  });

  test('a flow takes its schedules along', async () => {
    await saveFlow('doomed');
    const { schedule_id } = await schedule('doomed', { cron: '0 2 * * *' });
    expect(await laboratory.as('/flows/doomed', { method: 'DELETE' })).toMatchObject({ status: 200 });
    expect(await isGone(schedule_id)).toBe(true);
    expectError(await laboratory.as('/flows/doomed'), 404, 'not_found');
    expectError(await laboratory.as('/flows/doomed', { method: 'DELETE' }), 404, 'not_found');
  });

  test('a flow leaves no schedule that is made at the same moment', async () => {
    for (const year of [2091, 2092, 2093]) {
      await saveFlow('raced');
      const [, made] = await Promise.all([
        laboratory.as('/flows/raced', { method: 'DELETE' }),
        post('raced', { scheduled_time: `${year}-01-01T00:00:00Z` }),
      ]);
      expect([200, 404]).toContain(made.status);
      const left = api.database.db.collection('schedules').countDocuments({ flow_name: 'raced' });
      expect(await left).toBe(0);
    }
  });
});

test('viewers see schedules and change none, strangers see none', async () => {
  const { schedule_id } = await only('rabi');
  expect(await api.as(viewer, laboratory.project)('/flows/schedules')).toMatchObject({ status: 200 });
  for (const person of [viewer, stranger]) {
    expectError(await post('rabi', { cron: '0 2 * * *' }, person), 403, 'forbidden');
    expectError(await patch(schedule_id, { active: false }, person), 403, 'forbidden');
    expectError(await remove(schedule_id, person), 403, 'forbidden');
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
