import { DateTime } from 'luxon';
import { menu } from '../menus/model.ts';
import type { ScheduleDocument } from '../schedules/model.ts';
import type { MenuSchedule } from './model.ts';

/** What a schedule of a menu is, as clients see it; null for one that is no such thing. `timezone`: of the time that is shown. */
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
