import { z } from 'zod';
import { oversizeProblem } from '../../shared/domain/backends/answer-rules.ts';
import { executionIdSchema, projectIdSchema, taskIdSchema } from '../../shared/kernel/ids.ts';
import { dataset } from '../../shared/science/datasets/model.ts';
import { resolvedParameter, taskType } from '../../shared/tasks/model.ts';

/** Version of the contract between Calibron and a backend's worker. */
export const CONTRACT = 1;
/** A dataset up to this many bytes of JSON travels inline, a larger one through `dataset_path`. */
export const INLINE_DATASET_LIMIT = 16 * 1024;

/**
 * The input of `measure`. A worker in any language registers an activity `measure` on the queue `backend:<name>`, sends a
 * heartbeat at least every third of its heartbeat timeout, and returns a {@link measureResult}.
 * `artifact_dir` is an existing directory of this measurement, on a file system that the worker shares with Calibron's
 * workers; a worker without such a file system uploads files with `upload_token`.
 * A measurement may take `timeout` seconds from its start. `deadline` is the same limit as an ISO time, counted from when the
 * request was prepared, so a request that waited long for a worker may arrive after its deadline.
 */
export const measureRequest = z.object({
  contract: z.literal(CONTRACT),
  project_id: projectIdSchema,
  chip_id: z.string(),
  execution_id: executionIdSchema,
  epoch: z.number().int(),
  task_id: taskIdSchema,
  attempt: z.number().int().positive(),
  /** Absent in the first pass; 2 or more when the task measures again with other settings. */
  pass: z.number().int().positive().optional(),
  task_name: z.string(),
  task_type: taskType,
  targets: z.array(z.string()).min(1),
  input_parameters: z.record(z.string(), resolvedParameter),
  /** Input parameters of each target; replaces `input_parameters` when a measurement covers a mux or a batch. */
  target_parameters: z.record(z.string(), z.record(z.string(), resolvedParameter)).optional(),
  run_parameters: z
    .record(z.string(), resolvedParameter)
    .describe(
      'Kept within the limits that input parameters set: no flux amplitude is beyond flux_pulse_limit',
    ),
  artifact_dir: z.string(),
  upload_token: z
    .string()
    .optional()
    .describe('Bearer token of PUT /measurements/{task_id}/files/{name} while this measurement is under way'),
  raw_data_limit: z
    .number()
    .int()
    .positive()
    .optional()
    .describe('Bytes of files that may be kept for this measurement; the task fails if there are more'),
  analysis_limit: z
    .number()
    .int()
    .positive()
    .optional()
    .describe(
      'Bytes of a data file that can be analysed; a larger one is kept, and the task fails with a message',
    ),
  deadline: z.string(),
  timeout: z.number().positive(),
});
export type MeasureRequest = z.infer<typeof measureRequest>;

/** A number, or the word for a value that JSON has no number for. */
const numberOrWord = z.union([z.number(), z.string().regex(/^[+-]?(nan|inf(inity)?)$/i)]).nullable();

/** A value that the backend analysed itself; null if it found none. */
const measuredOutput = z.object({
  value: numberOrWord,
  error: numberOrWord.optional().describe('Null, NaN or absent if it is not known; never negative'),
  unit: z.string().optional().describe("Converted to the catalog's unit, which is also the default"),
});

/** Result for one target: either data that Calibron analyses, or finished outputs with figures and files. */
const targetResult = z.object({
  dataset: dataset.optional(),
  dataset_path: z.string().optional(),
  outputs: z.record(z.string(), measuredOutput).optional(),
  quality: z.object({ r2: numberOrWord.optional() }).optional(),
  figures: z.array(z.unknown()).optional().describe('Plotly JSON, as objects or as texts'),
  raw_data: z.array(z.string()).optional(),
});
export type TargetResult = z.infer<typeof targetResult>;

export const measureResult = z.object({
  targets: z.record(z.string(), targetResult),
  /** ISO times, by the backend's clock, at which the measurement started and ended. A time without an offset is UTC. */
  started_at: z.string().optional(),
  finished_at: z.string().optional(),
  /** The attempt that measured, if a later attempt returned its kept result. */
  measured_in_attempt: z.number().int().positive().optional(),
  log: z.string().optional(),
});
export type MeasureResult = z.infer<typeof measureResult>;

/** Parsed answers. Targets that share a measurement share its answer, which is then parsed once. */
const alreadyRead = new WeakMap<object, MeasureResult | string>();

/**
 * Parses a backend's answer. The contract does not allow NaN and infinity; a backend sends null for a missing number.
 * @returns the answer, or a message with the reason why it cannot be used
 */
export function readMeasureResult(answer: unknown): MeasureResult | string {
  if (typeof answer !== 'object' || answer === null) return parseMeasureResult(answer);
  const result = alreadyRead.get(answer) ?? parseMeasureResult(answer);
  alreadyRead.set(answer, result);
  // A parsed answer needs no second check.
  if (typeof result === 'object') alreadyRead.set(result, result);
  return result;
}

/** Parses what a backend found in stored data of one target, as {@link readMeasureResult} does. */
export function readTargetResult(answer: unknown): TargetResult | string {
  return parseAs(targetResult, answer);
}

function parseMeasureResult(answer: unknown): MeasureResult | string {
  return parseAs(measureResult, answer);
}

function parseAs<T>(schema: z.ZodType<T>, answer: unknown): T | string {
  const oversize = oversizeProblem(JSON.stringify(answer ?? null).length);
  if (oversize !== null) return oversize;
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return `The backend's answer does not fit the contract: ${issue?.path.join('.') || 'the answer'}: ${issue?.message}.`;
}
