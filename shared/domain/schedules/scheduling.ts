import type { Settings } from '../../kernel/config.ts';
import { isEngineUnavailable } from '../../kernel/engine/temporal.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { isUuid, keyOf, newId } from '../../kernel/ids.ts';
import { assertRoomWithin, type Quota } from '../../kernel/quotas.ts';
import type { FlowDocument } from '../flows/saved-flow-model.ts';
import type { NewSchedule, ScheduleAnswer, ScheduleChange, ScheduleDocument, ScheduleList } from './model.ts';
import { checkedCron, checkedTime, checkedTimezone, inZone } from './rules.ts';
import type { ScheduleFields, ScheduleStore } from './store.ts';
import type { Timetable } from './timetable.ts';
import { scheduleItemOf } from './wire.ts';

/** Later than any due time. */
const LAST = new Date('9999-12-31T00:00:00Z');

interface Dependencies {
  schedules: ScheduleStore;
  timetable: Timetable;
  flow(projectId: string, name: string): Promise<FlowDocument | null>;
  /** With the zone of schedules that name none. */
  settings: Pick<Settings, 'TIMEZONE' | 'SCHEDULES_PER_PROJECT'>;
}

/** Schedules of flows, as clients make, see, change and delete them. */
export function createScheduling({ schedules, timetable, flow, settings }: Dependencies) {
  const quota: Quota = {
    holder: 'This project',
    things: 'schedules',
    limit: settings.SCHEDULES_PER_PROJECT,
    setting: 'SCHEDULES_PER_PROJECT',
  };

  async function mustGet(projectId: string, scheduleId: string): Promise<ScheduleDocument> {
    if (!isUuid(scheduleId)) throw new CalibronError('bad_request', 'The id of a schedule is a UUID.');
    const found = await schedules.get(projectId, scheduleId);
    if (!found) throw noSuchSchedule();
    return found;
  }

  async function mustHaveFlow(projectId: string, name: string): Promise<void> {
    if (!(await flow(projectId, name))) throw noSuchFlow();
  }

  /** Off the store first: what the engine still has then finds nothing to start, and goes. */
  async function remove({ project_id, schedule_id }: ScheduleDocument): Promise<void> {
    await schedules.remove(project_id, schedule_id);
    await timetable.remove(schedule_id);
  }

  /** A flow has one cron: of several that were made at once all keep the same one, the newest. */
  async function keepNewestCron(projectId: string, name: string): Promise<void> {
    const crons = (await schedules.all(projectId, name)).filter((each) => each.schedule_type === 'cron');
    await Promise.all(crons.sort(byAge).slice(0, -1).map(remove));
  }

  /** Only for a cron the engine is asked: it alone reads them. */
  async function nextRun(schedule: ScheduleDocument): Promise<string | null> {
    const { active, scheduled_time, schedule_id } = schedule;
    if (!active || (scheduled_time && scheduled_time <= new Date())) return null;
    const next = scheduled_time ?? (await timetable.nextRun(schedule_id).catch(nullIfUnavailable));
    return next && inZone(next, schedule.timezone);
  }

  return {
    /**
     * Schedules runs of a flow: again and again by a cron, which replaces the flow's earlier one, or once.
     * @throws not_found, bad_request for neither or both of cron and time, a cron, zone or time that is none, a past time,
     *   quota_exceeded
     */
    async create(
      projectId: string,
      user: { _id: string; username: string },
      name: string,
      wanted: NewSchedule,
    ): Promise<ScheduleAnswer> {
      await mustHaveFlow(projectId, name);
      if ((wanted.cron === null) === (wanted.scheduled_time === null)) {
        throw new CalibronError('bad_request', 'Give either cron or scheduled_time.');
      }
      const zone = checkedTimezone(wanted.timezone ?? settings.TIMEZONE);
      const time =
        wanted.scheduled_time === null ? null : checkedTime(wanted.scheduled_time, zone, new Date());
      assertRoomWithin(quota, await schedules.count(projectId));
      const id = newId();
      const schedule: ScheduleDocument = {
        _id: keyOf(projectId, id),
        project_id: projectId,
        schedule_id: id,
        flow_name: name,
        schedule_type: time === null ? 'cron' : 'one-time',
        cron: wanted.cron === null ? null : checkedCron(wanted.cron),
        scheduled_time: time,
        order_at: time ?? LAST,
        timezone: zone,
        parameters: wanted.parameters,
        active: wanted.active,
        user_id: user._id,
        username: user.username,
        last_outcome: null,
        last_started_at: null,
        created_at: new Date(),
      };
      // The engine checks the cron, so it is asked first. What it then has without a record goes when it is due.
      await timetable.create(schedule);
      await schedules.insert(schedule);
      if (schedule.schedule_type === 'cron') await keepNewestCron(projectId, name);
      // Whoever deleted the flow meanwhile may have looked for its schedules before this one was there.
      if (!(await flow(projectId, name))) {
        await remove(schedule);
        throw noSuchFlow();
      }
      return {
        schedule_id: id,
        flow_name: name,
        schedule_type: schedule.schedule_type,
        cron: schedule.cron,
        next_run: await nextRun(schedule),
        active: schedule.active,
        message: `Flow ${name} was scheduled.`,
      };
    },

    /** A page of schedules of a project, or of one flow. @throws not_found for an unknown flow */
    async list(
      projectId: string,
      name: string | undefined,
      page: { limit: number; offset: number },
    ): Promise<ScheduleList> {
      if (name !== undefined) await mustHaveFlow(projectId, name);
      const found = await schedules.list(projectId, name, page);
      return {
        schedules: await Promise.all(
          found.schedules.map(async (each) => scheduleItemOf(each, await nextRun(each))),
        ),
        total: found.total,
      };
    },

    /** Changes a schedule of either kind. @throws bad_request, not_found */
    async change(projectId: string, scheduleId: string, change: ScheduleChange): Promise<ScheduleDocument> {
      const schedule = await mustGet(projectId, scheduleId);
      const zone = change.timezone == null ? schedule.timezone : checkedTimezone(change.timezone);
      const fields: ScheduleFields = {
        active: change.active,
        timezone: zone,
        ...(change.parameters == null ? {} : { parameters: change.parameters }),
        ...(schedule.schedule_type === 'cron' ? cronFields(change) : timeFields(schedule, change, zone)),
      };
      const changed = { ...schedule, ...fields };
      await timetable.change(changed);
      if (!(await schedules.set(projectId, scheduleId, fields))) {
        await timetable.remove(scheduleId);
        throw noSuchSchedule();
      }
      return changed;
    },

    /** Deletes a schedule. @throws bad_request, not_found */
    async delete(projectId: string, scheduleId: string): Promise<ScheduleDocument> {
      const schedule = await mustGet(projectId, scheduleId);
      await remove(schedule);
      return schedule;
    },

    /** Deletes the schedules of a flow, or of a whole project. Safe to repeat. */
    async deleteAll(projectId: string, name?: string): Promise<void> {
      for (const schedule of await schedules.all(projectId, name)) await remove(schedule);
    },
  };
}

function byAge(a: ScheduleDocument, b: ScheduleDocument): number {
  return a.created_at.getTime() - b.created_at.getTime() || (a.schedule_id < b.schedule_id ? -1 : 1);
}

/** One answer that does not come must not hide a whole list. */
function nullIfUnavailable(thrown: unknown): null {
  if (isEngineUnavailable(thrown)) return null;
  throw thrown;
}

function noSuchFlow(): CalibronError {
  return new CalibronError('not_found', 'There is no such flow in this project.');
}

function noSuchSchedule(): CalibronError {
  return new CalibronError('not_found', 'There is no such schedule in this project.');
}

function cronFields({ cron, scheduled_time }: ScheduleChange): ScheduleFields {
  if (scheduled_time != null) {
    throw new CalibronError(
      'bad_request',
      'This schedule has a cron. Delete it and make one with scheduled_time.',
    );
  }
  return cron == null ? {} : { cron: checkedCron(cron) };
}

function timeFields(schedule: ScheduleDocument, change: ScheduleChange, zone: string): ScheduleFields {
  if (change.cron != null) {
    throw new CalibronError(
      'bad_request',
      'This schedule runs only once. Delete it and make one with a cron.',
    );
  }
  const now = new Date();
  if (change.scheduled_time != null) {
    const time = checkedTime(change.scheduled_time, zone, now);
    return { scheduled_time: time, order_at: time };
  }
  if (change.active && schedule.order_at <= now) {
    throw new CalibronError(
      'bad_request',
      'The time of this schedule has passed. Give another scheduled_time.',
    );
  }
  return {};
}
