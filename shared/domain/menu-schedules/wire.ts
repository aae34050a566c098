import { DateTime } from 'luxon';
import { menu } from '../menus/model.ts';
import type { ScheduleDocument } from '../schedules/model.ts';
import type { MenuSchedule } from './model.ts';

/** A menu schedule as clients see it; null if the schedule is of another kind. `timezone` is that of the displayed time. */
export function menuScheduleOf(schedule: ScheduleDocument, timezone: string): MenuSchedule | null {
  const read = menu.safeParse(schedule.parameters.menu);
  if (!read.success || schedule.scheduled_time === null) return null;
  const { name, description } = read.data;
  const time = DateTime.fromJSDate(schedule.scheduled_time, { zone: timezone });
  return {
    menu_name: name,
    menu: read.data,
    description,
    note: '',
    timezone,
    scheduled_time: time.toFormat('yyyy-MM-dd HH:mm:ssZZZ'),
    flow_run_id: schedule.schedule_id,
  };
}
