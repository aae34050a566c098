import { isoTime } from '../../kernel/time.ts';
import type { ScheduleDocument, ScheduleItem } from './model.ts';

/** A stored schedule as clients see it. @param nextRun when it is due next, null when it is not or nobody knows */
export function scheduleItemOf(schedule: ScheduleDocument, nextRun: string | null): ScheduleItem {
  const { last_outcome } = schedule;
  return {
    schedule_id: schedule.schedule_id,
    flow_name: schedule.flow_name,
    schedule_type: schedule.schedule_type,
    cron: schedule.cron,
    next_run: nextRun,
    active: schedule.active,
    timezone: schedule.timezone,
    parameters: schedule.parameters,
    created_by: schedule.username,
    created_at: isoTime(schedule.created_at),
    last_outcome: last_outcome && {
      ...last_outcome,
      due_at: isoTime(last_outcome.due_at),
      at: isoTime(last_outcome.at),
    },
  };
}
