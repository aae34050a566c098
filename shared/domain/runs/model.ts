import { z } from 'zod';
import { executionIdSchema } from '../../kernel/ids.ts';
import { executionStatuses } from '../executions/status-rules.ts';

/** Answer of every request that starts a run. */
export const startedRun = z.object({
  execution_id: executionIdSchema,
  flow_run_id: z.string(),
  flow_run_url: z.string(),
  service_ui_url: z.string().describe('The execution in the console.'),
  qdash_ui_url: z.string().describe('The same as `service_ui_url`, under the name of earlier clients.'),
  message: z.string(),
});
export type StartedRun = z.infer<typeof startedRun>;

/** Whether a run could start now; `reason` is null when it could. */
export const availability = z.object({ available: z.boolean(), reason: z.string().nullable() });
export type Availability = z.infer<typeof availability>;

/** GET /executions/lock-status. For a project without executions only `lock` is set; the rest is null. */
export const lockStatus = z.object({
  lock: z.boolean(),
  execution_id: executionIdSchema.nullable(),
  chip_id: z.string().nullable(),
  name: z.string().nullable(),
  status: z.enum(executionStatuses).nullable(),
});
export type LockStatus = z.infer<typeof lockStatus>;

/** Answer of cancel; `execution_id` repeats the id given in the request. */
export const cancelResult = z.object({
  execution_id: z.string(),
  status: z.literal('cancelling'),
  message: z.string(),
});
export type CancelResult = z.infer<typeof cancelResult>;

/** Answer of pause, resume and stop: the resulting status of the run. */
export const runControlAnswer = z.object({
  execution_id: executionIdSchema,
  status: z.enum(['paused', 'running', 'stopping']),
});
export type RunControlAnswer = z.infer<typeof runControlAnswer>;

/** Description of the priority of runs in the API. */
export const priorityMeaning =
  'While a run of lower priority that allows preemption holds the project, a run of this priority uses the chip between its measurements, and is not refused (409 project_busy).';

export const preemptionMeaning =
  'true: runs of higher priority may use the chip between the measurements of this run, which continues afterwards.';
