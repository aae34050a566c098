import { z } from 'zod';
import { boolean } from '../../kernel/wire.ts';
import { menu } from '../menus/model.ts';

const slotFields = {
  scheduler_name: z
    .string()
    .max(200)
    .describe('Ends in `cron-scheduler-` and the number of the slot, 1 to 5.'),
  menu_name: z.string().max(100),
  cron: z.string().max(200).describe('Five fields: minute, hour, day of month, month, day of week.'),
};

/** Body of the request that fills one of the five cron slots. */
export const newCronSlot = z.object({ ...slotFields, active: boolean().default(true) });

/** One of the five cron slots. */
export const cronSlot = z.object({ ...slotFields, active: z.boolean() });
export type CronSlot = z.infer<typeof cronSlot>;

export const cronSlotList = z.object({ schedules: z.array(cronSlot) });

/** Body of the request that schedules a menu once. */
export const newMenuSchedule = z.object({
  menu_name: z.string().max(100),
  scheduled: z.string().max(100).describe("ISO 8601; without an offset in the service's zone."),
});
export type NewMenuSchedule = z.infer<typeof newMenuSchedule>;

/** A menu scheduled to run once. */
export const menuSchedule = z
  .object({
    menu_name: z.string(),
    menu,
    description: z.string(),
    note: z.string().describe('Always empty.'),
    timezone: z.string(),
    scheduled_time: z.string().describe('`YYYY-MM-DD HH:MM:SS±hhmm`'),
    flow_run_id: z.string().describe('By which it can be deleted; the run gets an id of its own.'),
  })
  .meta({ id: 'MenuSchedule' });
export type MenuSchedule = z.infer<typeof menuSchedule>;
