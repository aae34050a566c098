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
import { shareOfUser } from '../../kernel/engine/shares.ts';
import { scheduleSummary } from '../../kernel/engine/summaries.ts';
import { type Engine, withinDeadline, withOneRetry } from '../../kernel/engine/temporal.ts';
import type { WorkflowOf } from '../../kernel/engine/workflow-contract.ts';
import { CALIBRATION_QUEUE } from '../../kernel/engine/workflow-ids.ts';
import { readCron } from './cron-rules.ts';
import type { ScheduleDocument } from './model.ts';
import { badTimezone } from './rules.ts';
import { scheduledStart } from './workflow-model.ts';

/** Maximum number of concurrent engine calls for one request: more would only queue there. */
export const ENGINE_CALLS = 8;

/** The engine catches up on due times missed while it was down; the started action reports that they are too late. */
const CATCH_UP = '365 days';

type Entry = Pick<
  ScheduleDocument,
  | 'project_id'
  | 'schedule_id'
  | 'flow_name'
  | 'user_id'
  | 'username'
  | 'cron'
  | 'scheduled_time'
  | 'timezone'
  | 'active'
  | 'jitter_seconds'
>;

/** The engine's specification of a schedule: only its due times. What to start is read when it is due. */
function specOf({ cron, scheduled_time, timezone, jitter_seconds }: Entry): ScheduleSpec {
  const jitter = jitter_seconds * 1000;
  if (cron !== null) return { calendars: calendarsOf(cron), timezone, jitter };
  if (scheduled_time === null) return {};
  const time = DateTime.fromJSDate(scheduled_time, { zone: 'UTC' });
  const { year, month, day: dayOfMonth, hour, minute, second } = time;
  return { calendars: [{ year, month: MONTHS[month - 1], dayOfMonth, hour, minute, second }], jitter };
}

/** A time must match all fields of at least one calendar. */
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

/** Ascending numbers as ranges of consecutive ones, which are readable in the engine's UI. */
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
  const { project_id, schedule_id } = entry;
  const args: Parameters<WorkflowOf<typeof scheduledStart>> = [{ project_id, schedule_id }];
  return {
    type: 'startWorkflow' as const,
    workflowType: scheduledStart.name,
    workflowId: `scheduled:${entry.schedule_id}`,
    taskQueue: CALIBRATION_QUEUE,
    priority: shareOfUser(entry.user_id),
    args,
    staticSummary: scheduleSummary(entry),
    // The action `scheduledStart` sets the chip and the run itself.
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

/** Due times of schedules, stored by the engine under the schedules' ids. */
export function createTimetable(engine: Engine) {
  /** Converts the engine's refusal of a zone. Only the zone can be invalid, because calendars are checked before. */
  async function refusingBadTimezones<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (thrown) {
      // The SDK (1.24.0) passes on the engine's complaint about a schedule in this form.
      if (thrown instanceof TypeError && /time ?zone/i.test(thrown.message)) throw badTimezone();
      throw thrown;
    }
  }

  /** The result of an idempotent call for a schedule, null if the engine has no schedule with the id. */
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
     * Changes a schedule. If the engine has forgotten it, as it does after the last due time, it is created again.
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

    /** Removes a schedule; does nothing if it does not exist. */
    async remove(scheduleId: string): Promise<void> {
      await nullIfUnknown(scheduleId, (handle) => handle.delete());
    },

    /** Stops all due times of a schedule; does nothing if it does not exist. */
    async pause(scheduleId: string, reason: string): Promise<void> {
      await nullIfUnknown(scheduleId, (handle) => handle.pause(reason));
    },
  };
}
