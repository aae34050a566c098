import { count, type SettingsOf } from '../../kernel/setting-kinds.ts';

/** Settings of schedules. */
export const scheduleSettings = {
  SCHEDULES_PER_PROJECT: count.default(500).describe('Schedules that a project may have.'),
};
export type ScheduleSettings = SettingsOf<typeof scheduleSettings>;
