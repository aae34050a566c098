import { z } from 'zod';
import { taskIdSchema } from '../../kernel/ids.ts';
import { timestamp } from '../../kernel/wire.ts';
import { executionLogEntry } from '../executions/model.ts';
import { executionStatuses } from '../executions/status-rules.ts';
import { taskStatuses } from '../results/status-rules.ts';

const status = z.enum(executionStatuses);

/** Data of GET /executions/{execution_id}/events, by event name. */
export const executionEvents = z.object({
  /** `resumed_at` is when a worker last took over the run after a time without workers; null if that never happened. */
  state: z.object({ status, stage: z.string().nullable(), resumed_at: timestamp.nullable() }),
  progress: z.object({
    done: z.number().int(),
    failed: z.number().int(),
    skipped: z.number().int(),
    total: z.number().int(),
    stage: z.string().nullable(),
    estimated_end: timestamp.nullable(),
  }),
  task: z.object({
    task_id: taskIdSchema,
    task_name: z.string(),
    qid: z.string(),
    status: z.enum(taskStatuses),
    message: z.string(),
  }),
  log: executionLogEntry,
  /** Null when the run no longer waits for anything. */
  waiting: z.object({ for: z.string().nullable() }),
  end: z.object({ status }),
});
export type ExecutionEvents = z.infer<typeof executionEvents>;
