import { z } from 'zod';
import { executionIdSchema, type ProjectId, type UserId } from '../../kernel/ids.ts';
import { boolean, integer, timestamp } from '../../kernel/wire.ts';
import { type FlowParameters, flowParameters, parametersOfRun } from '../flows/saved-flow-model.ts';
import { preemptionMeaning, priorityMeaning } from '../runs/model.ts';

const cronText = z.string().max(200).describe('Five fields: minute, hour, day of month, month, day of week.');
const timezoneName = z.string().max(100).describe('IANA name of the time zone.');
const jitterSeconds = integer({ min: 0, max: 3600 }).describe(
  'A run starts up to this many seconds after its due time; the delay is chosen at random each time.',
);
const priority = integer({ min: 0, max: 9 }).describe(priorityMeaning);
const scheduledTime = z.string().max(100).describe('ISO 8601; a time without an offset is in `timezone`.');

/** Body of POST /flows/{name}/schedule: either a `cron` or a `scheduled_time`. */
export const newSchedule = z.strictObject({
  cron: cronText.nullable().default(null),
  scheduled_time: scheduledTime.nullable().default(null),
  parameters: parametersOfRun.default({}),
  active: boolean().default(true),
  timezone: timezoneName.nullable().default(null).describe("Default: the service's zone."),
  jitter_seconds: jitterSeconds.prefault(0),
  priority: priority.prefault(0),
  allow_preemption: boolean().prefault(false).describe(preemptionMeaning),
});
export type NewSchedule = z.infer<typeof newSchedule>;

/** Body of PATCH /flows/schedules/{schedule_id}; absent fields are left unchanged. */
export const scheduleChange = z.strictObject({
  active: boolean(),
  cron: cronText.nullish(),
  scheduled_time: scheduledTime.nullish(),
  parameters: parametersOfRun.nullish(),
  timezone: timezoneName.nullish(),
  jitter_seconds: jitterSeconds.nullish(),
  priority: priority.nullish(),
  allow_preemption: boolean().nullish().describe(preemptionMeaning),
});
export type ScheduleChange = z.infer<typeof scheduleChange>;

const scheduleType = z.enum(['cron', 'one-time']);
export type ScheduleType = z.infer<typeof scheduleType>;

/**
 * Outcome of a schedule's last due time: a run was started, or the reason why none was: skipped because the project was
 * busy, missed because the due time was noticed too late, failed for any other reason.
 */
const scheduleOutcome = z
  .object({
    due_at: timestamp,
    at: timestamp,
    status: z.enum(['started', 'skipped', 'missed', 'failed']),
    execution_id: executionIdSchema.nullable().describe('The run that was started.'),
    held_by: z.string().nullable().describe('The execution that held the project.'),
    message: z.string(),
  })
  .meta({ id: 'ScheduleOutcome' });

const scheduleFields = {
  schedule_id: z.string(),
  flow_name: z.string(),
  schedule_type: scheduleType,
  cron: z.string().nullable(),
  next_run: timestamp.nullable().describe('The next due time, without jitter; null when there is none.'),
  active: z.boolean(),
};

/** Response of POST /flows/{name}/schedule. */
export const scheduleAnswer = z.object({ ...scheduleFields, message: z.string() });
export type ScheduleAnswer = z.infer<typeof scheduleAnswer>;

/** A schedule in a list. */
const scheduleItem = z
  .object({
    ...scheduleFields,
    timezone: z.string(),
    parameters: flowParameters,
    jitter_seconds: z.number().int(),
    priority: z.number().int(),
    allow_preemption: z.boolean(),
    created_by: z.string(),
    runs_as: z
      .string()
      .describe(
        'The user in whose name runs are started: the one who created the schedule, or who took it over.',
      ),
    paused_reason: z
      .string()
      .nullable()
      .describe('Why the service paused it. The user who sets `active` to true takes it over.'),
    created_at: timestamp,
    last_outcome: scheduleOutcome.nullable(),
  })
  .meta({ id: 'Schedule' });
export type ScheduleItem = z.infer<typeof scheduleItem>;

export const scheduleList = z.object({
  schedules: z.array(scheduleItem),
  total: z.number().int(),
  limit: z.number().int(),
  offset: z.number().int(),
});
export type ScheduleList = z.infer<typeof scheduleList>;

/** Query of GET /flows/schedules/due-times. */
export const dueTimesQuery = z.object({
  cron: cronText,
  timezone: timezoneName.optional().describe("Default: the service's zone."),
  count: integer({ min: 1, max: 20 }).prefault(5),
});
export type DueTimesQuery = z.infer<typeof dueTimesQuery>;

export const dueTimes = z.object({
  timezone: z.string(),
  due_times: z
    .array(timestamp)
    .describe('Fewer than `count` if the cron is due less often before the year 2100.'),
});
export type DueTimes = z.infer<typeof dueTimes>;

export const scheduleChanged = z.object({ message: z.string(), schedule_id: z.string() });
export const scheduleDeleted = scheduleChanged.extend({ schedule_type: scheduleType });

export interface StoredOutcome extends Omit<z.infer<typeof scheduleOutcome>, 'due_at' | 'at'> {
  due_at: Date;
  at: Date;
}

/** A schedule as stored; `_id` is `<project_id>/<schedule_id>`. The engine triggers it when it is due. */
export interface ScheduleDocument {
  _id: string;
  project_id: ProjectId;
  schedule_id: string;
  flow_name: string;
  schedule_type: ScheduleType;
  /** Slot of the cron if a flow has several; a flow without slots has one cron. */
  slot?: number | undefined;
  cron: string | null;
  scheduled_time: Date | null;
  /** Sort rank in lists, before `order_at`: upcoming, paused, over. */
  order_rank: number;
  /** The next due time when the order was last updated; in the far future if there is none. */
  order_at: Date;
  timezone: string;
  parameters: FlowParameters;
  active: boolean;
  jitter_seconds: number;
  /** Priority of its runs, and whether runs of higher priority may use the chip between their measurements. */
  priority: number;
  allow_preemption: boolean;
  /** The reason why the service paused it. */
  paused_reason: string | null;
  /** The user in whose name runs are started. */
  user_id: UserId;
  username: string;
  created_by: string;
  last_outcome: StoredOutcome | null;
  /** Start of the last run. */
  last_started_at: Date | null;
  created_at: Date;
}
