import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId, UserId } from '../../kernel/ids.ts';
import type { FlowParameters } from '../flows/saved-flow-model.ts';
import { cronText, readCron } from './cron-rules.ts';
import type { ScheduleChange, ScheduleDocument } from './model.ts';
import { checkedTime, checkedTimezone } from './rules.ts';
import type { ScheduleFields, ScheduleStore } from './store.ts';
import type { Timetable } from './timetable.ts';

/** Changed fields of a schedule with a cron. @throws bad_request for a single time, or an invalid cron */
function cronFields({ cron, scheduled_time }: ScheduleChange): ScheduleFields {
  if (scheduled_time != null) {
    throw new CalibronError(
      'bad_request',
      'This schedule has a cron. Delete it and make one with scheduled_time.',
    );
  }
  return cron == null ? {} : { cron: checkedCron(cron) };
}

/** Changed fields of a schedule with a single time. @throws bad_request for a cron, or a past time */
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
    return { scheduled_time: time };
  }
  if (change.active && schedule.scheduled_time && schedule.scheduled_time <= now) {
    throw new CalibronError(
      'bad_request',
      'The time of this schedule has passed. Give another scheduled_time.',
    );
  }
  return {};
}

/** @throws bad_request naming the field */
export function checkedCron(text: string): string {
  readCron(text);
  return cronText(text);
}

export function noSuchSchedule(): CalibronError {
  return new CalibronError('not_found', 'There is no such schedule in this project.');
}

/** The user in whose name runs are started. */
export interface User {
  _id: UserId;
  username: string;
}

/** Changes of schedules. */
export function createScheduleChanges({
  schedules,
  timetable,
  checkRun,
  mustGet,
}: {
  schedules: Pick<ScheduleStore, 'set'>;
  timetable: Pick<Timetable, 'change' | 'remove'>;
  /** Performs the checks of a run's start. @throws as the start does */
  checkRun(projectId: ProjectId, user: User, flowName: string, parameters: FlowParameters): Promise<void>;
  /** A schedule by its id. @throws bad_request, not_found */
  mustGet(projectId: ProjectId, scheduleId: string): Promise<ScheduleDocument>;
}) {
  return {
    /**
     * Changes a schedule of either kind. The service pauses a schedule if its user may no longer start runs; from its
     * reactivation on it runs in the name of the user who reactivates it.
     * @throws bad_request, not_found, and for other parameters what starting the run would throw
     */
    async change(
      projectId: ProjectId,
      user: User,
      scheduleId: string,
      change: ScheduleChange,
    ): Promise<ScheduleDocument> {
      const schedule = await mustGet(projectId, scheduleId);
      const zone = change.timezone == null ? schedule.timezone : checkedTimezone(change.timezone);
      const fields: ScheduleFields = {
        active: change.active,
        timezone: zone,
        ...(change.parameters == null ? {} : { parameters: change.parameters }),
        ...(change.jitter_seconds == null ? {} : { jitter_seconds: change.jitter_seconds }),
        ...(change.priority == null ? {} : { priority: change.priority }),
        ...(change.allow_preemption == null ? {} : { allow_preemption: change.allow_preemption }),
        ...(schedule.schedule_type === 'cron' ? cronFields(change) : timeFields(schedule, change, zone)),
        ...(change.active && schedule.paused_reason !== null
          ? { paused_reason: null, user_id: user._id, username: user.username }
          : {}),
      };
      if (change.parameters != null) {
        await checkRun(projectId, user, schedule.flow_name, change.parameters);
      }
      const changed = { ...schedule, ...fields };
      await timetable.change(changed);
      if (!(await schedules.set(schedule, fields, new Date()))) {
        await timetable.remove(scheduleId);
        throw noSuchSchedule();
      }
      return changed;
    },
  };
}
