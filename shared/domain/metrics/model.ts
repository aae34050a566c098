import { z } from 'zod';
import { executionIdSchema, taskIdSchema, userIdSchema } from '../../kernel/ids.ts';
import { integer, timestamp } from '../../kernel/wire.ts';
import { outputName, storedParameter } from '../results/model.ts';

/** Default and maximum number of items on one page of a history. */
export const HISTORY_PAGE = 5000;

export const range = z.strictObject({ min: z.number(), max: z.number(), step: z.number().positive() });

/** Which values of a metric are better; `none` means that neither direction is. */
const evaluationMode = z.enum(['maximize', 'minimize', 'none']);

const metricFields = {
  title: z.string(),
  /** Unit of the displayed value, which is raw value × scale. */
  unit: z.string(),
  scale: z.number(),
  description: z.string().default(''),
  evaluation: z.strictObject({ mode: evaluationMode }),
  threshold: z.object({ value: z.number(), range }).nullable().default(null),
};
export const metricInFile = z.strictObject({
  ...metricFields,
  threshold: z
    .strictObject({
      value: z.number(),
      range,
      /** Whether the threshold is in the displayed unit; by default it is raw, as the values are. */
      in_shown_unit: z.boolean().default(false),
    })
    .nullable()
    .default(null),
  error_rate_range: range.optional(),
});
export const cdfGroup = z.strictObject({
  id: z.string(),
  title: z.string(),
  unit: z.string(),
  metrics: z.array(z.string()),
});
const scales = {
  color_scale: z.strictObject({ colors: z.array(z.string().regex(/^#[0-9a-f]{6}$/i)).min(2) }),
  cdf_groups: z.strictObject({ qubit: z.array(cdfGroup), coupling: z.array(cdfGroup) }),
};
const metricName = outputName.refine((name) => !name.includes(' '), 'must have no space');

/** `config/metrics.yaml`, which operators edit. */
export const metricsFileContent = z.strictObject({
  qubit_metrics: z.record(metricName, metricInFile),
  coupling_metrics: z.record(metricName, metricInFile),
  ...scales,
});
export type MetricsSettings = z.infer<typeof metricsFileContent>;
export type Metric = MetricsSettings['qubit_metrics'][string];

/** GET /metrics/config. */
export const metricShown = z.object(metricFields);
export const metricsConfig = z.object({
  qubit_metrics: z.record(z.string(), metricShown),
  coupling_metrics: z.record(z.string(), metricShown),
  ...scales,
});

export const metricsSummary = z.object({
  chip_id: z.string(),
  qubit_count: z.number().int(),
  averages: z.record(z.string(), z.number().nullable()),
});
export type MetricsSummary = z.infer<typeof metricsSummary>;

export const heatmap = z.object({
  chip_id: z.string(),
  metric: z.string(),
  values: z.record(z.string(), z.number().nullable()),
  unit: z.string().nullable(),
  errors: z.record(z.string(), z.number().nullable()).describe('Standard errors; null if unknown.'),
  calibrated_at: z
    .record(z.string(), timestamp.nullable())
    .describe('When each value was measured or entered.'),
});
export type Heatmap = z.infer<typeof heatmap>;

/** How several results of a target are combined into one value. */
const selectionMode = z.enum(['latest', 'best', 'average']);

/**
 * Which results are included, and how they are combined. Times are strings here and parsed later; invalid ones are
 * answered with 400.
 */
export const metricsQuery = z.object({
  within_hours: integer({ min: 0, max: 1_000_000 })
    .optional()
    .describe('Only results of the last hours; 0 counts all.'),
  selection_mode: selectionMode.prefault('latest'),
  start_at: z.string().optional().meta({
    format: 'date-time',
    description: 'Started at or after this moment; counts before within_hours.',
  }),
  end_at: z
    .string()
    .optional()
    .meta({ format: 'date-time', description: 'Started at or before this moment.' }),
});
export type MetricsQuery = z.infer<typeof metricsQuery>;

export const metricValue = z.object({
  value: z.number().nullable(),
  task_id: taskIdSchema.nullable(),
  execution_id: executionIdSchema,
  stddev: z.number().nullable(),
});
export type MetricValue = z.infer<typeof metricValue>;
const valuesByMetric = z.record(z.string(), z.record(z.string(), metricValue));

export const chipMetrics = z.object({
  chip_id: z.string(),
  username: z.string(),
  qubit_count: z.number().int(),
  within_hours: z.number().int().nullable(),
  start_at: timestamp.nullable(),
  end_at: timestamp.nullable(),
  qubit_metrics: valuesByMetric,
  coupling_metrics: valuesByMetric,
});
export type ChipMetrics = z.infer<typeof chipMetrics>;

export const historyItem = z.object({
  value: z.union([z.number(), z.string(), z.boolean(), z.array(z.union([z.number(), z.string()]))]),
  execution_id: executionIdSchema,
  task_id: taskIdSchema,
  timestamp: timestamp,
  calibrated_at: timestamp.nullable(),
  name: z.string(),
  input_parameters: z.record(z.string(), storedParameter),
  output_parameters: z.record(z.string(), storedParameter),
  excluded: z.boolean(),
  excluded_reason: z.string(),
  excluded_by_user_id: userIdSchema,
  excluded_by: z.string(),
  excluded_at: timestamp.nullable(),
});
export type HistoryItem = z.infer<typeof historyItem>;

const historyFields = {
  chip_id: z.string(),
  metric_name: z.string(),
  username: z.string(),
  history: z.array(historyItem),
};
export const qubitMetricHistory = z.object({ qid: z.string(), ...historyFields });
export const couplingMetricHistory = z.object({
  qid: z.string().describe('The coupling, as in `coupling_id`.'),
  coupling_id: z.string(),
  ...historyFields,
});

/** GET /dashboard/chips/{chip_id}/ai-insights: points of attention in the newest results. */
export const insights = z.object({
  chip_id: z.string(),
  summary: z.string().describe('The insights in one sentence.'),
  insights: z.array(
    z.object({
      kind: z.enum(['missing_f01', 'repeated_failure']),
      severity: z.enum(['critical', 'warning']),
      title: z.string(),
      detail: z.string(),
      task_name: z.string(),
      qids: z.array(z.string()),
      task_ids: z.array(taskIdSchema),
    }),
  ),
  suppressed_pass_count: z.number().int().describe('Results that are good and therefore not listed.'),
});
export type Insights = z.infer<typeof insights>;
