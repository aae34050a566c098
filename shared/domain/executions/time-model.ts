/** Answers of the API about the time of runs: where it went, and how long a run is expected to take. */
import { z } from 'zod';
import { executionIdSchema } from '../../kernel/ids.ts';
import { timestamp } from '../../kernel/wire.ts';
import { chipTimeParts, timeParts } from './time-rules.ts';

const meaningOfParts =
  'lock: until the run was taken on and the chip was free; instrument: measuring; analysis: evaluating while nothing is measured; engine: anything else within a stage; people: paused, or waiting for an answer; resources: waiting for a worker, a release or disk space; idle: the rest.';

/** GET /executions/{execution_id}/time: the seconds of the parts add up to those of the whole. */
export const executionTime = z
  .object({
    execution_id: executionIdSchema,
    from: timestamp.describe('When the run was requested.'),
    to: timestamp.describe('Its end, or now.'),
    is_open: z.boolean(),
    seconds: z.number(),
    parts: z.array(
      z.object({
        part: z.enum(timeParts).describe(meaningOfParts),
        seconds: z.number(),
        share: z.number(),
      }),
    ),
  })
  .meta({ id: 'ExecutionTime' });
export type ExecutionTime = z.infer<typeof executionTime>;

const chipTimeShare = z
  .object({
    part: z.enum(chipTimeParts).describe(`${meaningOfParts} unused: no run was open.`),
    seconds: z.number(),
    share: z.number(),
  })
  .meta({ id: 'ChipTimeShare' });

/** GET /chips/{chip_id}/time: the seconds of the parts add up to those of the whole, and of each slice. */
export const chipTime = z
  .object({
    chip_id: z.string(),
    from: timestamp,
    to: timestamp,
    seconds: z.number(),
    runs: z.number().int().describe('Runs that were open at some time in it.'),
    parts: z.array(chipTimeShare),
    slices: z
      .array(z.object({ from: timestamp, to: timestamp, parts: z.array(chipTimeShare) }))
      .describe('The same values per hour or day, if requested.'),
  })
  .meta({ id: 'ChipTime' });
export type ChipTime = z.infer<typeof chipTime>;

/** GET /executions/{execution_id}/forecast */
export const executionForecast = z
  .object({
    execution_id: executionIdSchema,
    is_open: z.boolean(),
    worked_seconds: z.number().describe('Without waits for the lock, for people and for resources.'),
    expected_seconds: z
      .number()
      .nullable()
      .describe('Of the whole run, without waits; null if nothing is known.'),
    estimated_end: timestamp.nullable().describe('If nothing more is waited for; null when paused or ended.'),
    earlier_runs: z
      .array(z.string())
      .describe('The completed runs of the same request that this is based on.'),
    settled_tasks: z.number().int(),
    expected_tasks: z.number().int().nullable(),
  })
  .meta({ id: 'ExecutionForecast' });
export type ExecutionForecast = z.infer<typeof executionForecast>;
