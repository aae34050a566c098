import { z } from 'zod';
import { executionIdSchema, taskIdSchema, userIdSchema } from '../../kernel/ids.ts';
import { noteBody, timestamp } from '../../kernel/wire.ts';
import { comment } from '../notes/model.ts';
import { parameterVersion, provenanceActivity } from '../provenance/model.ts';
import { gateResult, storedRunParameter } from '../results/model.ts';

export const input = z.object({
  name: z.string(),
  parameter_name: z.string(),
  value: z.unknown(),
  unit: z.string(),
  error: z.number().nullable(),
  source: z
    .string()
    .nullable()
    .describe('Where the task took the value from: database, default, override, …'),
  calibrated_at: timestamp.nullable(),
  origin: parameterVersion.nullable().describe('The version of the value; null if it was not a version.'),
});
export type ExplainedInput = z.infer<typeof input>;

/** GET /provenance/explain/{entity_id}: the origin of a value. Parts that are unknown or no longer stored are null. */
export const explanation = z
  .object({
    entity: parameterVersion,
    latest_version: z
      .number()
      .int()
      .nullable()
      .describe('Number of the current version, when this one is not.'),
    previous: parameterVersion.nullable().describe('The version that this one replaced.'),
    gates: z
      .array(gateResult)
      .describe('As judged when the task ended; by the current catalog if the result did not store it.'),
    activity: provenanceActivity.nullable(),
    task: z
      .object({
        task_id: taskIdSchema,
        task_name: z.string(),
        task_type: z.string(),
        qid: z.string(),
        status: z.string(),
        message: z.string(),
        start_at: timestamp.nullable(),
        end_at: timestamp.nullable(),
        elapsed_time: z.string().nullable(),
        quality_metrics: z.record(z.string(), z.number().nullable()),
        run_parameters: z.record(z.string(), storedRunParameter),
        figure_path: z.array(z.string()),
        json_figure_path: z.array(z.string()),
        raw_data_path: z.array(z.string()),
        source_task_id: taskIdSchema,
      })
      .nullable(),
    execution: z
      .object({
        execution_id: executionIdSchema,
        name: z.string(),
        status: z.string(),
        backend: z.string(),
        trigger: z.string(),
        start_at: timestamp,
        end_at: timestamp.nullable(),
      })
      .nullable(),
    inputs: z.array(input),
    cooldown: z
      .object({
        cooldown_id: z.string(),
        cryo_id: z.string(),
        description: z.string(),
        started_at: timestamp,
        ended_at: timestamp.nullable(),
      })
      .nullable(),
    notes: z.object({
      task: noteBody.nullable(),
      target: noteBody.nullable(),
      metric: noteBody.nullable(),
      comments: z.array(comment),
    }),
    reason: z
      .string()
      .nullable()
      .describe(
        'What the editor gave as the reason; empty where none was given, null for values not edited by hand.',
      ),
    who: z.object({ user_id: userIdSchema, username: z.string() }).nullable(),
  })
  .meta({ id: 'Explanation' });
export type Explanation = z.infer<typeof explanation>;
