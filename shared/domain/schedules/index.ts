import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Flows } from '../flows/index.ts';
import type { Runs } from '../runs/index.ts';
import { createScheduling } from './scheduling.ts';
import type { ScheduleSettings } from './settings.ts';
import { createScheduleStore, scheduleIndexes } from './store.ts';
import { createTimetable } from './timetable.ts';

export type Schedules = ReturnType<typeof schedules.create>;

/** Scheduled runs of flows. */
export const schedules = defineArea({
  name: 'schedules',
  indexes: [scheduleIndexes],
  create({
    db,
    engine,
    settings,
    flows,
    runs,
  }: Kernel<ScheduleSettings> & { flows: Pick<Flows, 'get'>; runs: Pick<Runs, 'checkFlow'> }) {
    const store = createScheduleStore(db);
    const timetable = createTimetable(engine);
    return {
      ...createScheduling({
        schedules: store,
        timetable,
        flow: flows.get,
        checkRun: runs.checkFlow,
        settings,
      }),
      store,
      timetable,
    };
  },
});
