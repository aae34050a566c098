import {
  type ScheduleHandle,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type ScheduleSpec,
} from '@temporalio/client';
import { searchAttributes } from '../../kernel/engine/search-attributes.ts';
import { scheduleSummary } from '../../kernel/engine/summaries.ts';
import { type Engine, withinDeadline, withOneRetry } from '../../kernel/engine/temporal.ts';
import { CALIBRATION_QUEUE, workflowNames } from '../../kernel/engine/workflow-ids.ts';
import type { ScheduleDocument } from './model.ts';
import { badCron } from './rules.ts';

/** Due times that an outage made late by more than this are not made up for. */
const CATCH_UP = '10 minutes';

type Entry = Pick<
  ScheduleDocument,
  'project_id' | 'schedule_id' | 'flow_name' | 'username' | 'cron' | 'scheduled_time' | 'timezone' | 'active'
>;

/** What the engine is told of a schedule: when it is due. What to start then is read when it is due. */
function specOf({ cron, scheduled_time, timezone }: Entry): ScheduleSpec {
  if (cron !== null) return { cronExpressions: [cron], timezone };
  if (scheduled_time === null) return {};
  const [day, time] = scheduled_time.toISOString().split(/[T.]/);
  const [year, month, date] = day?.split('-').map(Number) ?? [];
  const [hour, minute, second] = time?.split(':').map(Number) ?? [];
  // The engine's long form, in UTC: second, minute, hour, day of month, month, day of week, year.
  return { cronExpressions: [`${second} ${minute} ${hour} ${date} ${month} * ${year}`] };
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
  async function refusingBadCrons<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (thrown) {
      // So the SDK passes on what the engine has against a schedule (1.24.0).
      if (thrown instanceof TypeError) throw badCron(thrown.message);
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
    /** @throws bad_request for a cron that the engine does not understand */
    async create(entry: Entry): Promise<void> {
      await refusingBadCrons(() =>
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
     * @throws bad_request for a cron that the engine does not understand
     */
    async change(entry: Entry): Promise<void> {
      const changed = await refusingBadCrons(() =>
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

    /** When a schedule is due next; null when it is not any more, or is paused. */
    async nextRun(scheduleId: string): Promise<Date | null> {
      const description = await nullIfUnknown(scheduleId, (handle) => handle.describe());
      return description === null || description.state.paused
        ? null
        : (description.info.nextActionTimes[0] ?? null);
    },
  };
}
