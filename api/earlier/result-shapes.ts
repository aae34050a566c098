import { z } from 'zod';
import { type LatestEntry, type OutputSeries, storedParameter } from '../../shared/domain/results/model.ts';
import { detectOutliers, type OutlierDetection } from '../../shared/domain/results/outlier-rules.ts';
import { executionIdSchema } from '../../shared/kernel/ids.ts';

const outlierDetection = z
  .object({
    enabled: z.boolean(),
    method: z.literal('combined'),
    parameters: z.record(z.string(), z.union([z.string(), z.number()])),
    original_count: z.number().int(),
    filtered_count: z.number().int(),
    outlier_count: z.number().int(),
    outlier_qids: z.array(z.string()),
    physical_violations: z.array(z.string()),
  })
  .meta({ id: 'OutlierDetection' }) satisfies z.ZodType<OutlierDetection>;

/** A result in a list. A target without a result has only its state. Unknown values are omitted. */
const judgedEntry = z.looseObject({
  name: z.string(),
  status: z.string(),
  default_view: z.boolean(),
  over_threshold: z.boolean(),
  output_parameters: z
    .record(z.string(), z.looseObject({}).nullable())
    .optional()
    .describe('Null stands for a value that is an outlier.'),
});

/** Results of a task by target. */
export const judgedResults = z.object({
  task_name: z.string(),
  result: z.record(z.string(), judgedEntry),
  outlier_detection: outlierDetection,
});

/** Replaces outliers in results by null. The stored results are not changed. */
export function judgedResultsOf(found: {
  task_name: string;
  result: Record<string, LatestEntry>;
}): z.infer<typeof judgedResults> {
  const { task_name, result } = found;
  const outputs = Object.entries(result).map(([qid, entry]) => [qid, outputsOf(entry)] as const);
  const { parameter, detection } = detectOutliers(task_name, new Map(outputs));
  const out = new Set(detection.outlier_qids);
  const shown = Object.entries(result).map(([qid, entry]) => {
    const known = judgedEntry.parse(withoutNulls(entry));
    if (parameter === null || !out.has(qid)) return [qid, known] as const;
    return [qid, { ...known, output_parameters: { ...known.output_parameters, [parameter]: null } }] as const;
  });
  return { task_name, result: Object.fromEntries(shown), outlier_detection: detection };
}

const numberRecord = z.object({ value: z.number() });

function outputsOf(entry: LatestEntry): Record<string, { value: number }> {
  if (!('output_parameters' in entry)) return {};
  const numbers = Object.entries(entry.output_parameters).flatMap(([name, record]) => {
    const read = numberRecord.safeParse(record);
    return read.success ? [[name, read.data] as const] : [];
  });
  return Object.fromEntries(numbers);
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const known = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(known.map(([name, each]) => [name, withoutNulls(each)]));
}

/** One output over time, by target. */
export const valueSeries = z.object({
  data: z.record(
    z.string(),
    z.array(
      z.object({
        value: storedParameter.shape.value,
        value_type: z.string(),
        error: z.number().describe('0 if unknown.'),
        unit: z.string(),
        description: z.string(),
        calibrated_at: z.string().nullable(),
        execution_id: executionIdSchema,
      }),
    ),
  ),
});

/** A series in the earlier interface's shape. */
export function seriesOf({ data }: OutputSeries): z.infer<typeof valueSeries> {
  const shown = Object.entries(data).map(([qid, records]) => {
    const values = records.map(({ value, value_type, error, unit, description, ...record }) => ({
      value,
      value_type,
      error: error ?? 0,
      unit,
      description,
      calibrated_at: record.calibrated_at ?? null,
      execution_id: record.execution_id,
    }));
    return [qid, values] as const;
  });
  return { data: Object.fromEntries(shown) };
}
