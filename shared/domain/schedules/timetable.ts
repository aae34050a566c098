import {
  type CalendarSpec,
  DAYS_OF_WEEK,
  MONTHS,
  type ScheduleHandle,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type ScheduleSpec,
} from '@temporalio/client';
import { DateTime } from 'luxon';
import { searchAttributes } from '../../kernel/engine/search-attributes.ts';
import { scheduleSummary } from '../../kernel/engine/summaries.ts';
import { type Engine, withinDeadline, withOneRetry } from '../../kernel/engine/temporal.ts';
import { CALIBRATION_QUEUE, workflowNames } from '../../kernel/engine/workflow-ids.ts';
import { readCron } from './cron-rules.ts';
import type { ScheduleDocument } from './model.ts';
import { badTimezone } from './rules.ts';

/** What the engine missed while it was away it makes up for; whoever carries it out says that it is too late. */
const CATCH_UP = '365 days';

type Entry = Pick<
  ScheduleDocument,
  | 'project_id'
  | 'schedule_id'
  | 'flow_name'
  | 'username'
  | 'cron'
  | 'scheduled_time'
  | 'timezone'
  | 'active'
  | 'jitter_seconds'
>;

/** What the engine is told of a schedule: when it is due. What to start then is read when it is due. */
function specOf({ cron, scheduled_time, timezone, jitter_seconds }: Entry): ScheduleSpec {
  const jitter = jitter_seconds * 1000;
  if (cron !== null) return { calendars: calendarsOf(cron), timezone, jitter };
  if (scheduled_time === null) return {};
  const time = DateTime.fromJSDate(scheduled_time, { zone: 'UTC' });
  const { year, month, day: dayOfMonth, hour, minute, second } = time;
  return { calendars: [{ year, month: MONTHS[month - 1], dayOfMonth, hour, minute, second }], jitter };
}

/** A time has to match a calendar in all its fields, and one of the calendars. */
function calendarsOf(text: string): CalendarSpec[] {
  const { minutes, hours, daysOfMonth, months, daysOfWeek, eitherDay } = readCron(text);
  const common = {
    minute: rangesOf(minutes),
    hour: rangesOf(hours),
    month: months.flatMap((month) => MONTHS[month - 1] ?? []),
  };
  const ofMonth = { dayOfMonth: rangesOf(daysOfMonth) };
  const ofWeek = { dayOfWeek: daysOfWeek.flatMap((day) => DAYS_OF_WEEK[day] ?? []) };
  return eitherDay
    ? [
        { ...common, ...ofMonth },
        { ...common, ...ofWeek },
      ]
    : [{ ...common, ...ofMonth, ...ofWeek }];
}

/** Ascending numbers as ranges of those that follow each other, which people can read in the engine's UI. */
function rangesOf(numbers: readonly number[]): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && last.end === number - 1) last.end = number;
    else ranges.push({ start: number, end: number });
  }
  return ranges;
}

function actionOf(entry: Entry) {
  return {
    type: 'startWorkflow' as const,
    workflowType: workflowNames.scheduledStart,
    workflowId: `scheduled:${entry.schedule_id}`,
    taskQueue: CALIBRATION_QUEUE,
    args: [{ project_id: entry.project_id, schedule_id: entry.schedule_id }],
    staticSummary: scheduleSummary(entry),
    // Which chip it is for and which run it starts, `scheduledStart` says itself.
    typedSearchAttributes: searchAttributes({
      ProjectId: entry.project_id,
      FlowName: entry.flow_name,
      Initiator: entry.username,
      Trigger: 'schedule',
    }),
  };
}

const policies = { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCH_UP };

export type Timetable = ReturnType<typeof createTimetable>;

/** The due times of schedules, kept by the engine under their ids. */
export function createTimetable(engine: Engine) {
  /** Of all that a schedule says, only its zone may be unknown to the engine: calendars are checked before. */
  async function refusingBadTimezones<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (thrown) {
      // So the SDK passes on what the engine has against a schedule (1.24.0).
      if (thrown instanceof TypeError && /time ?zone/i.test(thrown.message)) throw badTimezone();
      throw thrown;
    }
  }

  /** What a call that is safe to repeat says of a schedule, null when the engine has none of the id. */
  async function nullIfUnknown<T>(
    scheduleId: string,
    call: (handle: ScheduleHandle) => Promise<T>,
  ): Promise<T | null> {
    try {
      return await withOneRetry(engine, () => call(engine.client.schedule.getHandle(scheduleId)));
    } catch (thrown) {
      if (thrown instanceof ScheduleNotFoundError) return null;
      throw thrown;
    }
  }

  return {
    /** @throws bad_request for a zone that the engine does not know */
    async create(entry: Entry): Promise<void> {
      await refusingBadTimezones(() =>
        withinDeadline(engine, () =>
          engine.client.schedule.create({
            scheduleId: entry.schedule_id,
            spec: specOf(entry),
            action: actionOf(entry),
            policies,
            state: { paused: !entry.active },
            memo: { project_id: entry.project_id, flow_name: entry.flow_name },
          }),
        ),
      );
    },

    /**
     * Changes a schedule; one that the engine has forgotten, as it does after a last due time, is made again.
     * @throws bad_request for a zone that the engine does not know
     */
    async change(entry: Entry): Promise<void> {
      const changed = await refusingBadTimezones(() =>
        nullIfUnknown(entry.schedule_id, async (handle) => {
          await handle.update((previous) => ({
            ...previous,
            spec: specOf(entry),
            action: actionOf(entry),
            policies,
            state: { paused: !entry.active },
          }));
          return true;
        }),
      );
      if (!changed) await this.create(entry);
    },

    /** Takes a schedule off; one that is not there is off. */
    async remove(scheduleId: string): Promise<void> {
      await nullIfUnknown(scheduleId, (handle) => handle.delete());
    },

    /** Lets no due time of a schedule come any more; one that is not there has none. */
    async pause(scheduleId: string, reason: string): Promise<void> {
      await nullIfUnknown(scheduleId, (handle) => handle.pause(reason));
    },
  };
}
