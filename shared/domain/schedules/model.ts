import { z } from 'zod';
import { boolean, timestamp } from '../../kernel/wire.ts';
import { type FlowParameters, flowParameters } from '../flows/saved-flow-model.ts';

const cronText = z.string().max(200).describe('Five fields: minute, hour, day of month, month, day of week.');
const timezoneName = z.string().max(100).describe('IANA name of the zone that the times are in.');
const scheduledTime = z.string().max(100).describe('ISO 8601; without an offset in `timezone`.');

/** Body of POST /flows/{name}/schedule: a `cron` or a `scheduled_time`, never both. */
export const newSchedule = z.object({
  cron: cronText.nullable().default(null),
  scheduled_time: scheduledTime.nullable().default(null),
  parameters: flowParameters.default({}),
  active: boolean().default(true),
  timezone: timezoneName.nullable().default(null).describe("Default: the service's zone."),
});
export type NewSchedule = z.infer<typeof newSchedule>;

/** Body of PATCH /flows/schedules/{schedule_id}; what is left out stays. */
export const scheduleChange = z.object({
  active: boolean(),
  cron: cronText.nullish(),
  scheduled_time: scheduledTime.nullish(),
  parameters: flowParameters.nullish(),
  timezone: timezoneName.nullish(),
});
export type ScheduleChange = z.infer<typeof scheduleChange>;

const scheduleType = z.enum(['cron', 'one-time']);
export type ScheduleType = z.infer<typeof scheduleType>;

/** What became of a schedule's last due time: a run was started, or none was, and why. */
export const scheduleOutcome = z
  .object({
    due_at: timestamp,
    at: timestamp,
    status: z.enum(['started', 'skipped', 'failed']),
    execution_id: z.string().nullable().describe('The run that was started.'),
    held_by: z.string().nullable().describe('The execution that held the project.'),
    message: z.string(),
  })
  .meta({ id: 'ScheduleOutcome' });

const scheduleFields = {
  schedule_id: z.string(),
  flow_name: z.string(),
  schedule_type: scheduleType,
  cron: z.string().nullable(),
  next_run: z
    .string()
    .nullable()
    .describe(
      "The next due time with the offset of the schedule's zone; null when there is none, or when, for a cron, the engine " +
        'does not answer at the moment.',
    ),
  active: z.boolean(),
};

/** Answer of POST /flows/{name}/schedule. */
export const scheduleAnswer = z.object({ ...scheduleFields, message: z.string() });
export type ScheduleAnswer = z.infer<typeof scheduleAnswer>;

/** A schedule in a list. */
export const scheduleItem = z
  .object({
    ...scheduleFields,
    timezone: z.string(),
    parameters: flowParameters,
    created_by: z.string(),
    created_at: timestamp,
    last_outcome: scheduleOutcome.nullable(),
  })
  .meta({ id: 'Schedule' });
export type ScheduleItem = z.infer<typeof scheduleItem>;

export const scheduleList = z.object({ schedules: z.array(scheduleItem), total: z.number().int() });
export type ScheduleList = z.infer<typeof scheduleList>;

export const scheduleChanged = z.object({ message: z.string(), schedule_id: z.string() });
export const scheduleDeleted = scheduleChanged.extend({ schedule_type: scheduleType });

export interface StoredOutcome extends Omit<z.infer<typeof scheduleOutcome>, 'due_at' | 'at'> {
  due_at: Date;
  at: Date;
}

/** A schedule as stored; `_id` is `<project_id>/<schedule_id>`. When it is due, the engine knows. */
export interface ScheduleDocument {
  _id: string;
  project_id: string;
  schedule_id: string;
  flow_name: string;
  schedule_type: ScheduleType;
  cron: string | null;
  scheduled_time: Date | null;
  /** Sorts lists: the due time of a one-time schedule; those with a cron come last. */
  order_at: Date;
  timezone: string;
  parameters: FlowParameters;
  active: boolean;
  user_id: string;
  username: string;
  last_outcome: StoredOutcome | null;
  /** When a run was last started. */
  last_started_at: Date | null;
  created_at: Date;
}
