import { ScheduleNotFoundError } from '@temporalio/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { createScheduledStartActivities } from '../../activities/scheduled-start.ts';
import type { ScheduleDocument } from '../../shared/domain/schedules/model.ts';
import { NO_EXECUTION, type ProjectId } from '../../shared/kernel/ids.ts';
import { commonLaboratory } from '../support/common-laboratory.ts';

import { eventually, type Laboratory, oneStage } from '../support/laboratory.ts';

const yearly = { cron: '0 0 1 1 *' };

let lab: Laboratory;
let scheduling: Laboratory['areas']['schedules'];
let schedules: typeof scheduling.store;

beforeAll(async () => {
  lab = await commonLaboratory();
  scheduling = lab.schedules('Asia/Tokyo');
  schedules = scheduling.store;
});

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
const carriedOut = (projectId: ProjectId, scheduleId: string, after?: Date) =>
  eventually(async () => {
    const stored = await schedules.get(projectId, scheduleId);
    return stored?.last_outcome && (!after || stored.last_outcome.at > after) ? stored : null;
  });
const fire = (scheduleId: string) => lab.engine.client.schedule.getHandle(scheduleId).trigger();
const isGone = (scheduleId: string) =>
  lab.engine.client.schedule
    .getHandle(scheduleId)
    .describe()
    .then(
      () => false,
      (thrown: unknown) => thrown instanceof ScheduleNotFoundError,
    );
const runsOf = async (projectId: ProjectId) =>
  (await lab.areas.executions.store.list(projectId, 'CHIP', { skip: 0, limit: 10 })).total;

describe('a schedule that is due', () => {
  test('once starts one run of its flow, with its own parameters, and is over', async () => {
    const { projectId } = await newFlow();
    const { schedule_id } = await lab.schedule(
      { projectId },
      { scheduled_time: new Date(Date.now() + 5000).toISOString(), parameters: { b: 2 } },
    );
    const { last_outcome, active } = await carriedOut(projectId, schedule_id);
    expect(last_outcome).toMatchObject({ status: 'started', held_by: null });
    expect(active).toBe(false);
    const executionId = last_outcome?.execution_id ?? NO_EXECUTION;
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
    const { schedule_id } = await lab.schedule({ projectId }, yearly);
    await fire(schedule_id);
    const first = await carriedOut(projectId, schedule_id);
    expect(first.last_outcome?.status).toBe('started');
    const holder = first.last_outcome?.execution_id ?? NO_EXECUTION;
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
    const { schedule_id } = await lab.schedule({ projectId }, yearly);
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
    const { schedule_id } = await lab.schedule({ projectId }, yearly);
    await schedules.remove(projectId, schedule_id);
    await fire(schedule_id);
    await eventually(() => isGone(schedule_id));
    expect(await runsOf(projectId)).toBe(0);
  });
});

describe('carrying out a due time', () => {
  const due = new Date('2026-03-01T00:00:00Z');

  async function carriedOutAt(
    now: Date,
    fields: Partial<ScheduleDocument> = {},
    clock: () => Date = () => now,
  ) {
    const { projectId } = await newFlow();
    const { schedule_id } = await lab.schedule({ projectId }, yearly);
    await lab.database.db
      .collection<ScheduleDocument>('schedules')
      .updateOne({ project_id: projectId }, { $set: fields });
    const { startScheduledRun } = createScheduledStartActivities({
      schedules: scheduling,
      runs: lab.runs,
      projects: lab.areas.projects,
      execution: lab.areas.executions.store.get,
      now: clock,
    });
    return {
      projectId,
      scheduleId: schedule_id,
      stored: () => schedules.get(projectId, schedule_id),
      start: () => startScheduledRun({ project_id: projectId, schedule_id, due_at: due.toISOString() }),
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

  const minutes = (count: number) => new Date(due.getTime() + count * 60_000);

  test.each([
    ['a cron', {}],
    ['a schedule that runs once', { cron: null, scheduled_time: due, schedule_type: 'one-time' as const }],
  ])('of %s more than 10 minutes late starts nothing, and says that it was missed', async (_, fields) => {
    const made = await carriedOutAt(minutes(423), fields);
    expect((await made.start()).message).toBe(
      'missed: missed, 7 h 3 min late: nothing is started more than 10 min after its due time.',
    );
    expect(await runsOf(made.projectId)).toBe(0);
    expect(await made.stored()).toMatchObject({
      active: !('scheduled_time' in fields),
      last_outcome: { status: 'missed', due_at: due, at: minutes(423), execution_id: null },
    });
  });

  test('10 minutes late still starts, and as much later as the jitter may be', async () => {
    expect((await (await carriedOutAt(minutes(10))).start()).message).toMatch(/^started/);
    const jittered = { jitter_seconds: 1800 };
    expect((await (await carriedOutAt(minutes(39), jittered)).start()).message).toMatch(/^started/);
    expect((await (await carriedOutAt(minutes(41), jittered)).start()).message).toMatch(/^missed/);
  });

  test('that is too late meets the last due time of its cron that is not, which starts once', async () => {
    const made = await carriedOutAt(minutes(423), { cron: '*/15 * * * *', timezone: 'UTC' });
    expect((await made.start()).message).toMatch(/^started/);
    expect((await made.stored())?.last_outcome).toMatchObject({ status: 'started', due_at: minutes(420) });
    await made.start();
    expect(await runsOf(made.projectId)).toBe(1);
  });

  test('that started its run before an outage reports it afterwards, however late', async () => {
    let clock = due;
    const made = await carriedOutAt(due, {}, () => clock);
    await made.start();
    clock = minutes(423);
    expect((await made.start()).message).toMatch(/^started/);
    expect(await runsOf(made.projectId)).toBe(1);
  });

  // Straight in the store: what is due must not rely on whoever changes a membership.
  const rowOf = (collection: string, _id: string) => {
    const rows = lab.database.db.collection<{ _id: string }>(collection);
    return {
      set: (fields: object) => rows.updateOne({ _id }, { $set: fields }),
      remove: () => rows.deleteOne({ _id }),
    };
  };
  const handOver = (projectId: string) => rowOf('projects', projectId).set({ owner_user_id: 'usr_bob' });
  test.each([
    [
      'removed from the project',
      'ada is not a member of this project any more.',
      async (projectId: string) => {
        await handOver(projectId);
        await rowOf('memberships', `${projectId}/usr_ada`).set({ status: 'revoked' });
      },
    ],
    [
      'demoted',
      'ada may only read in this project.',
      async (projectId: string) => {
        await handOver(projectId);
        await rowOf('memberships', `${projectId}/usr_ada`).set({ role: 'viewer' });
      },
    ],
    ['disabled', 'The account ada is disabled.', () => rowOf('users', 'usr_ada').set({ disabled: true })],
    ['deleted', 'The account ada was deleted.', () => rowOf('users', 'usr_ada').remove()],
  ])(
    'in the name of somebody who was %s pauses the schedule and starts nothing',
    async (_, reason, happens) => {
      const made = await carriedOutAt(due);
      await happens(made.projectId);
      expect((await made.start()).message).toBe(`skipped: The schedule was paused: ${reason}`);
      await rowOf('users', 'usr_ada').remove();
      expect(await runsOf(made.projectId)).toBe(0);
      expect(await made.stored()).toMatchObject({ active: false, paused_reason: reason });
      const { state } = await lab.engine.client.schedule.getHandle(made.scheduleId).describe();
      expect(state).toMatchObject({ paused: true, note: reason });
    },
  );
});

test('due times that the engine makes up for after a long time start nothing and are noted as missed', async () => {
  const { projectId } = await newFlow();
  const { schedule_id } = await lab.schedule({ projectId }, yearly);
  const handle = lab.engine.client.schedule.getHandle(schedule_id);
  expect((await handle.describe()).policies.catchupWindow).toBe(365 * 24 * 3600_000);
  const year = new Date().getUTCFullYear() - 1;
  await handle.backfill({
    start: new Date(Date.UTC(year, 0, 1, -1)),
    end: new Date(Date.UTC(year, 0, 1, 1)),
    overlap: 'SKIP',
  });
  const { last_outcome, active } = await carriedOut(projectId, schedule_id);
  expect(last_outcome).toMatchObject({ status: 'missed', due_at: new Date(Date.UTC(year, 0, 1)) });
  expect(await runsOf(projectId)).toBe(0);
  expect(active).toBe(true);
});

test('schedules of a flow are deleted with it, all of them', async () => {
  const { projectId } = await newFlow();
  const made = await lab.schedule({ projectId }, yearly);
  await lab.schedule({ projectId }, { scheduled_time: '2099-01-01T00:00:00Z' });
  await scheduling.deleteAll(projectId, 'nightly');
  expect((await scheduling.list(projectId, undefined, { limit: 10, offset: 0 })).total).toBe(0);
  expect(await isGone(made.schedule_id)).toBe(true);
});
