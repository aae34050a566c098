import { CalibronError } from '../../kernel/errors.ts';
import { isUuid, keyOf, type ProjectId } from '../../kernel/ids.ts';
import { inParallel } from '../../kernel/in-parallel.ts';
import { newId } from '../../kernel/new-ids.ts';
import { assertRoomWithin, type Quota } from '../../kernel/quotas.ts';
import type { KernelSettings } from '../../kernel/settings.ts';
import { isoTime } from '../../kernel/time.ts';
import type { FlowDocument, FlowParameters } from '../flows/saved-flow-model.ts';
import { readCron } from './cron-rules.ts';
import { nextDueTimes } from './due-time-rules.ts';
import type {
  DueTimes,
  DueTimesQuery,
  NewSchedule,
  ScheduleAnswer,
  ScheduleDocument,
  ScheduleList,
} from './model.ts';
import { createPausing } from './pausing.ts';
import { checkedTime, checkedTimezone, placeOf } from './rules.ts';
import { checkedCron, createScheduleChanges, noSuchSchedule, type User } from './schedule-changes.ts';
import type { ScheduleSettings } from './settings.ts';
import type { ScheduleStore } from './store.ts';
import { ENGINE_CALLS, type Timetable } from './timetable.ts';
import { nextRunText, scheduleItemOf } from './wire.ts';

/** A requested schedule. `slot` selects one of several crons of the flow. */
type WantedSchedule = NewSchedule & { slot?: number };

interface Dependencies {
  schedules: ScheduleStore;
  timetable: Timetable;
  flow(projectId: ProjectId, name: string): Promise<FlowDocument | null>;
  /** Performs the checks of a run's start. @throws as the start does */
  checkRun(projectId: ProjectId, user: User, flowName: string, parameters: FlowParameters): Promise<void>;
  /** TIMEZONE applies to schedules that name no zone. */
  settings: ScheduleSettings & Pick<KernelSettings, 'TIMEZONE'>;
}

/** Creates, lists, changes and deletes schedules of flows. */
export function createScheduling({ schedules, timetable, flow, checkRun, settings }: Dependencies) {
  const quota: Quota = {
    holder: 'This project',
    things: 'schedules',
    limit: settings.SCHEDULES_PER_PROJECT,
    setting: 'SCHEDULES_PER_PROJECT',
  };

  async function mustGet(projectId: ProjectId, scheduleId: string): Promise<ScheduleDocument> {
    if (!isUuid(scheduleId)) throw new CalibronError('bad_request', 'The id of a schedule is a UUID.');
    const found = await schedules.get(projectId, scheduleId);
    if (!found) throw noSuchSchedule();
    return found;
  }

  async function mustHaveFlow(projectId: ProjectId, name: string): Promise<void> {
    if (!(await flow(projectId, name))) throw noSuchFlow();
  }

  /** Removes the stored record first: if the engine still triggers the schedule, it finds nothing to start and is removed. */
  async function remove({ project_id, schedule_id }: ScheduleDocument): Promise<void> {
    await schedules.remove(project_id, schedule_id);
    await timetable.remove(schedule_id);
  }

  const removeAll = (all: readonly ScheduleDocument[]) => inParallel(ENGINE_CALLS, all, remove);

  /** A flow has one cron, or one in each slot. Concurrent requests all keep the same one, the newest. */
  async function keepNewestCron(
    projectId: ProjectId,
    name: string,
    slot?: number,
  ): Promise<readonly ScheduleDocument[]> {
    const replaced = (await schedules.cronsOf(projectId, name, slot)).sort(byAge).slice(0, -1);
    await removeAll(replaced);
    return replaced;
  }

  /** Checks the project's limit. A cron that replaces an earlier one needs no more room. */
  async function makeRoom(projectId: ProjectId, name: string, { cron, slot }: WantedSchedule): Promise<void> {
    if (cron !== null && (await schedules.cronsOf(projectId, name, slot)).length > 0) return;
    // Removes schedules that ended long ago before they are counted.
    await schedules.putInOrder(projectId, new Date());
    assertRoomWithin(quota, await schedules.count(projectId));
  }

  return {
    ...createPausing({ schedules, timetable, flow }),

    /**
     * Schedules runs of a flow: repeatedly by a cron, which replaces the flow's earlier one in the same slot, or once.
     * @throws not_found, bad_request for neither or both of cron and time, an invalid cron, zone or time, a past time;
     *   quota_exceeded; and what starting the run would throw, except that the project is busy
     */
    async create(
      projectId: ProjectId,
      user: User,
      name: string,
      wanted: WantedSchedule,
    ): Promise<ScheduleAnswer> {
      const [checked, counted] = await Promise.allSettled([
        checkRun(projectId, user, name, wanted.parameters),
        schedules.count(projectId),
      ]);
      if (checked.status === 'rejected') throw checked.reason;
      if (counted.status === 'rejected') throw counted.reason;
      const now = new Date();
      const schedule = newSchedule(
        { projectId, name, user },
        { ...wanted, timezone: wanted.timezone ?? settings.TIMEZONE },
        now,
      );
      if (counted.value >= quota.limit) await makeRoom(projectId, name, wanted);
      // The engine validates the zone, so it is called first. A schedule without a record is removed from the engine when it
      // is due.
      await timetable.create(schedule);
      await schedules.insert(schedule);
      // If the flow was deleted meanwhile, the deletion may have looked for its schedules before this one existed.
      const [stays, older] = await Promise.all([
        flow(projectId, name),
        schedule.schedule_type === 'cron' ? keepNewestCron(projectId, name, schedule.slot) : [],
      ]);
      if (!stays) {
        await remove(schedule);
        throw noSuchFlow();
      }
      return {
        schedule_id: schedule.schedule_id,
        flow_name: name,
        schedule_type: schedule.schedule_type,
        cron: schedule.cron,
        next_run: nextRunText(schedule, now),
        active: schedule.active,
        message: `Flow ${name} was scheduled.${replacedText(older, schedule)}`,
      };
    },

    /** When a cron would be due next. @throws bad_request for an invalid cron or zone */
    dueTimes({ cron, timezone = settings.TIMEZONE, count }: DueTimesQuery): DueTimes {
      const checked = checkedTimezone(timezone);
      const times = nextDueTimes(readCron(cron), checked, { after: new Date(), count });
      return { timezone: checked, due_times: times.map(isoTime) };
    },

    /** A page of the schedules of a project, or of one flow. @throws not_found for an unknown flow */
    async list(
      projectId: ProjectId,
      name: string | undefined,
      page: { limit: number; offset: number },
    ): Promise<ScheduleList> {
      if (name !== undefined) await mustHaveFlow(projectId, name);
      const now = new Date();
      const found = await schedules.list(projectId, name, page, now);
      return {
        schedules: found.schedules.map((each) => scheduleItemOf(each, now)),
        total: found.total,
        ...page,
      };
    },

    ...createScheduleChanges({ schedules, timetable, checkRun, mustGet }),

    /** Deletes a schedule. @throws bad_request, not_found */
    async delete(projectId: ProjectId, scheduleId: string): Promise<ScheduleDocument> {
      const schedule = await mustGet(projectId, scheduleId);
      await remove(schedule);
      return schedule;
    },

    /** Deletes the schedules of a flow, or of a whole project. Idempotent. */
    async deleteAll(projectId: ProjectId, name?: string): Promise<void> {
      await removeAll(await schedules.all(projectId, name));
    },
  };
}

/**
 * The record of a requested schedule.
 * @throws bad_request for neither or both of cron and time, an invalid cron, zone or time, a past time
 */
function newSchedule(
  { projectId, name, user }: { projectId: ProjectId; name: string; user: User },
  wanted: WantedSchedule & { timezone: string },
  now: Date,
): ScheduleDocument {
  if ((wanted.cron === null) === (wanted.scheduled_time === null)) {
    throw new CalibronError('bad_request', 'Give either cron or scheduled_time.');
  }
  const timezone = checkedTimezone(wanted.timezone);
  const time = wanted.scheduled_time === null ? null : checkedTime(wanted.scheduled_time, timezone, now);
  const timed = {
    active: wanted.active,
    cron: wanted.cron === null ? null : checkedCron(wanted.cron),
    scheduled_time: time,
    timezone,
  };
  const id = newId();
  return {
    _id: keyOf(projectId, id),
    project_id: projectId,
    schedule_id: id,
    flow_name: name,
    schedule_type: time === null ? 'cron' : 'one-time',
    slot: wanted.slot,
    ...timed,
    ...placeOf(timed, now),
    jitter_seconds: wanted.jitter_seconds,
    priority: wanted.priority,
    allow_preemption: wanted.allow_preemption,
    parameters: wanted.parameters,
    paused_reason: null,
    user_id: user._id,
    username: user.username,
    created_by: user.username,
    last_outcome: null,
    last_started_at: null,
    created_at: now,
  };
}

/** A message naming the schedules that a new one has replaced, and their users. */
function replacedText(older: readonly ScheduleDocument[], { schedule_id }: ScheduleDocument): string {
  const replaced = older.filter((each) => each.schedule_id !== schedule_id);
  if (replaced.length === 0) return '';
  const names = replaced.map(
    (each) => `${each.cron} (${each.timezone}) of ${each.created_by}, id ${each.schedule_id}`,
  );
  return ` It replaced ${names.join('; ')}.`;
}

function byAge(a: ScheduleDocument, b: ScheduleDocument): number {
  return a.created_at.getTime() - b.created_at.getTime() || (a.schedule_id < b.schedule_id ? -1 : 1);
}

function noSuchFlow(): CalibronError {
  return new CalibronError('not_found', 'There is no such flow in this project.');
}
