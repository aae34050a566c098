import { isoTime } from '../../kernel/time.ts';
import type { ScheduleDocument, ScheduleItem } from './model.ts';
import { nextRunOf } from './rules.ts';

/** The next due time of a schedule as clients see it. */
export function nextRunText(schedule: ScheduleDocument, now: Date): string | null {
  const next = nextRunOf(schedule, now);
  return next && isoTime(next);
}

/** A stored schedule as clients see it. */
export function scheduleItemOf(schedule: ScheduleDocument, now: Date): ScheduleItem {
  const { last_outcome } = schedule;
  return {
    schedule_id: schedule.schedule_id,
    flow_name: schedule.flow_name,
    schedule_type: schedule.schedule_type,
    cron: schedule.cron,
    next_run: nextRunText(schedule, now),
    active: schedule.active,
    timezone: schedule.timezone,
    parameters: schedule.parameters,
    jitter_seconds: schedule.jitter_seconds,
    priority: schedule.priority,
    allow_preemption: schedule.allow_preemption,
    created_by: schedule.created_by,
    runs_as: schedule.username,
    paused_reason: schedule.paused_reason,
    created_at: isoTime(schedule.created_at),
    last_outcome: last_outcome && {
      ...last_outcome,
      due_at: isoTime(last_outcome.due_at),
      at: isoTime(last_outcome.at),
    },
  };
}
