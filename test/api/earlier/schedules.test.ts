import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { newId } from '../../../shared/kernel/new-ids.ts';
import { type Api, expectError, type Person, read, startApi } from '../harness.ts';
import { type Laboratory, makeLaboratory } from '../laboratory.ts';
import { scheduleCalls } from '../schedule-calls.ts';

let api: Api;
let owner: Person;
let lab: Laboratory;
let schedules: ReturnType<typeof scheduleCalls>;

beforeAll(async () => {
  api = await startApi({ engine: 'prepared', environment: { CALIBRON_ENV: 'lab' } });
  owner = await api.makePerson();
  lab = await makeLaboratory(api, owner, await api.makePerson());
  schedules = scheduleCalls(api, lab, owner);
  for (const name of ['Morning', 'Evening']) {
    const menu = { name, chip_id: 'CHIP', schedule: '0', tasks: ['CheckT1'], description: `In the ${name}` };
    expect(await post('/api/menu', menu)).toMatchObject({ status: 200 });
  }
});
afterAll(() => api.close());

const post = (url: string, body: unknown) => lab.as(url, { method: 'POST', body });
const entry = z.looseObject({ menu_name: z.string(), scheduled_time: z.string(), flow_run_id: z.string() });
const scheduleOnce = (menu_name: string, scheduled: string) =>
  post('/api/calibration/schedule', { menu_name, scheduled });

describe('a menu at a set time', () => {
  test('is listed with its menu and its time in the zone of the service, the next one first', async () => {
    const late = read(entry, await scheduleOnce('Morning', '2098-05-01T07:00:00'));
    expect(late).toMatchObject({
      menu_name: 'Morning',
      menu: { name: 'Morning', chip_id: 'CHIP', schedule: '0', username: owner.username },
      description: 'In the Morning',
      timezone: 'Asia/Tokyo',
      scheduled_time: '2098-05-01 07:00:00+0900',
    });
    const soon = read(entry, await scheduleOnce('Evening', '2098-04-01T00:00:00Z'));
    expect(soon.scheduled_time).toBe('2098-04-01 09:00:00+0900');
    expect((await lab.as('/api/calibration/schedule')).body).toEqual([soon, late]);
    const { schedules: listed } = await schedules.list('menu');
    expect(listed.map(({ schedule_id }) => schedule_id)).toEqual([soon.flow_run_id, late.flow_run_id]);
  });

  test('stays as it was when the menu is changed', async () => {
    const menu = { name: 'Evening', chip_id: 'CHIP', schedule: '1', tasks: ['CheckRabi'] };
    await lab.as('/api/menu/Evening', { method: 'PUT', body: menu });
    expect((await lab.as('/api/calibration/schedule')).body).toMatchObject([
      { menu_name: 'Evening', menu: { schedule: '0' } },
      { menu_name: 'Morning' },
    ]);
  });

  test('is refused for an unknown menu, and for a time that is none or over', async () => {
    expectError(await scheduleOnce('Noon', '2098-05-01T07:00:00'), 404, 'not_found');
    for (const time of ['tomorrow', '2020-01-01T00:00:00Z']) {
      expectError(await scheduleOnce('Morning', time), 400, 'bad_request');
    }
  });

  test('is taken back by its id, once; other schedules are not', async () => {
    const remove = (id: string) => lab.as(`/api/calibration/schedule/${id}`, { method: 'DELETE' });
    const [first] = read(z.array(entry), await lab.as('/api/calibration/schedule'));
    const id = first?.flow_run_id ?? '';
    expect((await remove(id)).body).toEqual([]);
    expect(await schedules.isGone(id)).toBe(true);
    expectError(await remove(id), 404, 'not_found');
    expectError(await remove(newId()), 404, 'not_found');
    expectError(await remove('no-uuid'), 400, 'bad_request');
    const ofFlow = await schedules.schedule('rabi', { scheduled_time: '2098-05-01T07:00:00' });
    expectError(await remove(ofFlow.schedule_id), 404, 'not_found');
    expect(await schedules.isGone(ofFlow.schedule_id)).toBe(false);
  });
});

describe('the five slots', () => {
  const slots = z.object({ schedules: z.array(z.looseObject({ active: z.boolean() })) });
  const all = async () => read(slots, await lab.as('/api/calibration/cron-schedule')).schedules;
  const name = (slot: number) => `cron-scheduler/lab-cron-scheduler-${slot}`;
  const fill = (slot: object) => post('/api/calibration/cron-schedule', slot);

  test('are there before anybody fills them, and do nothing', async () => {
    const crons = ['0 4 * * *', '40 4 * * *', '40 6 * * *', '30 7 * * *', '30 8 * * *'];
    expect(await all()).toEqual(
      crons.map((cron, index) => ({ scheduler_name: name(index + 1), menu_name: '', cron, active: false })),
    );
  });

  test('each have a menu of their own, under any of their names; a slot that is filled again changes alone', async () => {
    const second = { scheduler_name: name(2), menu_name: 'Morning', cron: '0 5 * * *', active: true };
    expect((await fill(second)).body).toEqual(second);
    const fifth = { scheduler_name: 'cron-scheduler-5', menu_name: 'Evening', cron: '0 18 * * 1-5' };
    expect((await fill(fifth)).body).toEqual({ ...fifth, active: true });
    await fill({ ...second, scheduler_name: 'lab-cron-scheduler-2', menu_name: 'Evening', active: false });
    expect(await all()).toMatchObject([
      { menu_name: '' },
      { scheduler_name: name(2), menu_name: 'Evening', cron: '0 5 * * *', active: false },
      { menu_name: '' },
      { menu_name: '' },
      { scheduler_name: name(5), menu_name: 'Evening', cron: '0 18 * * 1-5', active: true },
    ]);
    const { schedules: listed } = await schedules.list('menu');
    expect(listed.filter(({ schedule_type }) => schedule_type === 'cron')).toHaveLength(2);
  });

  test('leave the cron of a flow alone, also one of the flow that runs menus', async () => {
    const { schedule_id } = await schedules.schedule('menu', {
      cron: '0 1 * * *',
      parameters: { menu_name: 'Morning' },
    });
    await fill({ scheduler_name: name(1), menu_name: 'Morning', cron: '0 2 * * *' });
    expect(await schedules.isGone(schedule_id)).toBe(false);
    expect(await all()).toMatchObject([
      { cron: '0 2 * * *' },
      { cron: '0 5 * * *' },
      { menu_name: '' },
      { menu_name: '' },
      { cron: '0 18 * * 1-5' },
    ]);
  });

  test('refuse a name that is none, a menu that there is not, and a cron that cannot be read', async () => {
    const good = { scheduler_name: name(3), menu_name: 'Morning', cron: '0 5 * * *' };
    for (const scheduler_name of ['cron-scheduler-6', 'cron-scheduler', 'xcron-scheduler-1']) {
      expectError(await fill({ ...good, scheduler_name }), 404, 'not_found');
    }
    expectError(await fill({ ...good, menu_name: 'Noon' }), 404, 'not_found');
    expectError(await fill({ ...good, cron: 'every day' }), 400, 'bad_request');
    expect((await all())[2]).toMatchObject({ menu_name: '' });
  });
});
