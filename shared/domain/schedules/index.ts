import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Flows } from '../flows/index.ts';
import { createScheduling } from './scheduling.ts';
import { createScheduleStore, scheduleIndexes } from './store.ts';
import { createTimetable } from './timetable.ts';

export type Schedules = ReturnType<typeof schedules.create>;

/** When flows run by themselves. */
export const schedules = defineArea({
  name: 'schedules',
  indexes: [scheduleIndexes],
  create({ db, engine, settings, flows }: Kernel & { flows: Pick<Flows, 'get'> }) {
    const store = createScheduleStore(db);
    const timetable = createTimetable(engine);
    return {
      ...createScheduling({ schedules: store, timetable, flow: flows.get, settings }),
      store,
      timetable,
    };
  },
});
