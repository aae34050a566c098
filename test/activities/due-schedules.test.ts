import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createScheduledStartActivities } from '../../activities/scheduled-start.ts';
import type { ScheduleDocument } from '../../shared/domain/schedules/model.ts';
import { eventually, type Laboratory, oneStage, openLaboratory } from '../support/laboratory.ts';

const ada = { _id: 'usr_ada', username: 'ada' };
const yearly = { cron: '0 0 1 1 *', scheduled_time: null, parameters: {}, active: true, timezone: 'UTC' };

let lab: Laboratory;
let scheduling: Laboratory['areas']['schedules'];
let schedules: typeof scheduling.store;

beforeAll(async () => {
  lab = await openLaboratory();
  scheduling = lab.schedules('Asia/Tokyo');
  schedules = scheduling.store;
  await lab.startWorker();
});
afterAll(() => lab.close());

async function newFlow(code = oneStage(['CheckRabi'], ['0'])) {
  const place = await lab.newProject();
  await lab.flows.save(place.projectId, 'ada', {
    name: 'nightly',
    description: '',
    code,
    flow_function_name: 'flow',
    chip_id: place.chipId,
    default_parameters: { a: 1, b: 1 },
    default_run_parameters: {},
    tags: [],
  });
  return place;
}

/** The schedule once it has an outcome later than the given time. */
const carriedOut = (projectId: string, scheduleId: string, after?: Date) =>
  eventually(async () => {
    const stored = await schedules.get(projectId, scheduleId);
    return stored?.last_outcome && (!after || stored.last_outcome.at > after) ? stored : null;
  });
const fire = (scheduleId: string) => lab.engine.client.schedule.getHandle(scheduleId).trigger();
const runsOf = async (projectId: string) =>
  (await lab.areas.executions.store.list(projectId, 'CHIP', { skip: 0, limit: 10 })).total;

describe('a schedule that is due', () => {
  test('once starts one run of its flow, with its own parameters, and is over', async () => {
    const { projectId } = await newFlow();
    const { schedule_id } = await scheduling.create(projectId, ada, 'nightly', {
      ...yearly,
      cron: null,
      scheduled_time: new Date(Date.now() + 2000).toISOString(),
      parameters: { b: 2 },
    });
    const { last_outcome, active } = await carriedOut(projectId, schedule_id);
    expect(last_outcome).toMatchObject({ status: 'started', held_by: null });
    expect(active).toBe(false);
    const executionId = last_outcome?.execution_id ?? '';
    const execution = await lab.ended(projectId, executionId);
    expect(execution).toMatchObject({
      status: 'completed',
      trigger: 'schedule',
      username: 'ada',
      name: 'nightly',
    });
    expect(execution.note).toMatchObject({ schedule_id });
    const request = await lab.areas.executions.store.request(projectId, executionId);
    expect(request?.parameters).toMatchObject({ a: 1, b: 2, chip_id: 'CHIP', username: 'ada' });
    const { schedules: listed } = await scheduling.list(projectId, undefined, { limit: 10, offset: 0 });
    expect(listed).toMatchObject([
      { schedule_id, active: false, next_run: null, last_outcome: { status: 'started' } },
    ]);
  });

  test('while the project is busy starts nothing and says who held it', async () => {
    const { projectId } = await newFlow('export async function flow(session) { await session.sleep(3600); }');
    const { schedule_id } = await scheduling.create(projectId, ada, 'nightly', yearly);
    await fire(schedule_id);
    const first = await carriedOut(projectId, schedule_id);
    expect(first.last_outcome?.status).toBe('started');
    const holder = first.last_outcome?.execution_id ?? '';
    // Due times are whole seconds: another one is another due time.
    const second = Math.trunc(Date.now() / 1000);
    await eventually(async () => Math.trunc(Date.now() / 1000) > second);
    await fire(schedule_id);
    const skipped = await carriedOut(projectId, schedule_id, first.last_outcome?.at);
    expect(skipped.last_outcome).toMatchObject({ status: 'skipped', execution_id: null, held_by: holder });
    expect(skipped.last_outcome?.message).toContain(holder);
    expect(await runsOf(projectId)).toBe(1);
  });

  test('without its flow says so', async () => {
    const { projectId } = await newFlow();
    const { schedule_id } = await scheduling.create(projectId, ada, 'nightly', yearly);
    await lab.flows.remove(projectId, 'nightly');
    await fire(schedule_id);
    const { last_outcome } = await carriedOut(projectId, schedule_id);
    expect(last_outcome).toMatchObject({
      status: 'failed',
      message: 'There is no such flow in this project.',
    });
  });

  test('after its record was deleted takes itself off the engine', async () => {
    const { projectId } = await newFlow();
    const { schedule_id } = await scheduling.create(projectId, ada, 'nightly', yearly);
    await schedules.remove(projectId, schedule_id);
    await fire(schedule_id);
    await eventually(async () => (await scheduling.timetable.nextRun(schedule_id)) === null);
    expect(await runsOf(projectId)).toBe(0);
  });
});

describe('carrying out a due time', () => {
  const due = new Date('2026-03-01T00:00:00Z');

  async function carriedOutAt(now: Date, fields: Partial<ScheduleDocument> = {}) {
    const { projectId } = await newFlow();
    const made = await scheduling.create(projectId, ada, 'nightly', { ...yearly, active: false });
    const stored = await schedules.get(projectId, made.schedule_id);
    if (!stored) throw new Error('the schedule was not stored');
    const { startScheduledRun } = createScheduledStartActivities({
      schedules: { ...scheduling, store: { ...schedules, get: async () => ({ ...stored, ...fields }) } },
      runs: lab.runs,
      execution: lab.areas.executions.store.get,
      now: () => now,
    });
    return {
      projectId,
      start: () =>
        startScheduledRun({
          project_id: projectId,
          schedule_id: made.schedule_id,
          due_at: due.toISOString(),
        }),
    };
  }

  test('twice, as after a lost answer, starts one run', async () => {
    const { projectId, start } = await carriedOutAt(due);
    expect((await start()).message).toMatch(/^started/);
    expect((await start()).message).toMatch(/^started/);
    expect(await runsOf(projectId)).toBe(1);
  });

  test('that an outage made late is skipped when a later start has made up for it', async () => {
    const late = new Date(due.getTime() + 300_000);
    const made = await carriedOutAt(late, { last_started_at: new Date(due.getTime() + 240_000) });
    expect((await made.start()).message).toMatch(/^skipped/);
    expect(await runsOf(made.projectId)).toBe(0);
    const alone = await carriedOutAt(late, { last_started_at: new Date(due.getTime() - 3_600_000) });
    expect((await alone.start()).message).toMatch(/^started/);
    expect(await runsOf(alone.projectId)).toBe(1);
  });
});

test('schedules of a flow are deleted with it, all of them', async () => {
  const { projectId } = await newFlow();
  const made = await scheduling.create(projectId, ada, 'nightly', yearly);
  const once = { ...yearly, cron: null, scheduled_time: '2099-01-01T00:00:00Z' };
  await scheduling.create(projectId, ada, 'nightly', once);
  await scheduling.deleteAll(projectId, 'nightly');
  expect((await scheduling.list(projectId, undefined, { limit: 10, offset: 0 })).total).toBe(0);
  expect(await scheduling.timetable.nextRun(made.schedule_id)).toBeNull();
});
