import { z } from 'zod';
import {
  type ExecutionId,
  executionIdSchema,
  type ProjectId,
  type TaskId,
  taskIdSchema,
  type UserId,
} from '../../kernel/ids.ts';
import { timestamp } from '../../kernel/wire.ts';
import { taskName } from '../backends/model.ts';
import { modelOverride, type Usage } from '../language-models/model.ts';

export const DECISIONS = ['PASS', 'PASS_WITH_NOTE', 'REVIEW', 'FAIL'] as const;
export const LABELS = ['CORRECT', 'SUSPICIOUS', 'MISASSIGNMENT', 'NO_SIGNAL', 'ANOMALY'] as const;

/** The verdict of a reviewer, whether rules or a model. */
export const verdict = z.object({
  decision: z.enum(DECISIONS),
  human_label: z.enum(LABELS),
  accepted_parameters: z.array(z.string().max(200)).max(50),
  needs_review: z.array(z.string().max(200)).max(50),
  primary_reason: z.string().min(1).max(600),
  closest_knowledge_case: z.string().max(200).default(''),
  suggested_labels: z.array(z.string().max(64)).max(10),
  recommended_action: z.string().max(600),
  note: z.string().max(2000).default(''),
});
export type Verdict = z.infer<typeof verdict>;

const reviewStatuses = ['requested', 'running', 'completed', 'failed'] as const;
export type ReviewStatus = (typeof reviewStatuses)[number];

/** What requested a review. */
export type ReviewTrigger = 'manual_chip_bulk' | 'execution';

/** A run of reviews; `_id` is `<project_id>/<review_run_id>`. */
export interface ReviewRunDocument {
  _id: string;
  project_id: ProjectId;
  review_run_id: string;
  trigger_type: ReviewTrigger;
  chip_id: string;
  task_name: string;
  entity_type: 'qubit' | 'coupling';
  requested_by: string;
  /** The user whose share of the queues the run uses. Runs of reviews from 0.1.0 have none. */
  requested_by_user_id?: UserId;
  requested_at: Date;
  /** Null while reviews of it are open. */
  completed_at: Date | null;
  /** Set only while the run is open; the reconciler searches for it. */
  open?: true;
  model: { provider: string; name: string };
  model_override: z.infer<typeof modelOverride> | null;
}

/** A review of one result in one run; `_id` is `<project_id>/<review_run_id>/<task_id>`. */
export interface AiReviewDocument {
  _id: string;
  project_id: ProjectId;
  review_run_id: string;
  task_id: TaskId;
  task_name: string;
  chip_id: string;
  qid: string;
  execution_id: ExecutionId;
  task_status: string;
  start_at: Date | null;
  figure_path: string[];
  json_figure_path: string[];
  status: ReviewStatus;
  /** One of {@link DECISIONS}; UNKNOWN before the review, FORMAT_ERROR when it failed. */
  decision: string;
  verdict: Verdict | null;
  markdown: string;
  model: { provider: string; name: string };
  /** SHA-256 of the whole prompt; for the built-in rules, of their version. */
  prompt_hash: string;
  /** SHA-256 of the knowledge about the task. */
  knowledge_version: string;
  usage: Usage | null;
  held_back: boolean;
  error: string;
  requested_by: string;
  requested_at: Date;
  completed_at: Date | null;
}

const count = z.number().int().nonnegative();
const counts = z.record(z.string(), count);

export const reviewRun = z
  .object({
    review_run_id: z.string(),
    trigger_type: z.string(),
    chip_id: z.string(),
    task_name: z.string(),
    entity_type: z.string(),
    execution_ids: z.array(executionIdSchema),
    requested_by: z.string(),
    requested_at: timestamp,
    completed_at: timestamp.nullable(),
    model: z.string(),
    total: count,
    completed_count: count,
    failed_count: count,
    running_count: count,
    requested_count: count,
    decision_counts: counts,
    status_counts: counts,
  })
  .meta({ id: 'AiReviewRun' });
export type ReviewRun = z.infer<typeof reviewRun>;

export const reviewRow = z
  .object({
    task_id: taskIdSchema,
    review_run_id: z.string(),
    task_name: z.string(),
    chip_id: z.string(),
    qid: z.string(),
    target: z.string(),
    execution_id: executionIdSchema,
    task_status: z.string(),
    review_status: z.string(),
    decision: z.string(),
    human_label: z.string(),
    accepted_parameters: z.string(),
    needs_review: z.string(),
    primary_reason: z.string(),
    suggested_labels: z.string(),
    recommended_action: z.string(),
    model: z.string(),
    requested_by: z.string(),
    requested_at: timestamp,
    completed_at: timestamp.nullable(),
    note_updated_at: timestamp.nullable(),
    start_at: timestamp.nullable(),
    figure_path: z.array(z.string()),
    json_figure_path: z.array(z.string()),
    review_markdown: z.string(),
    format_ok: z.boolean(),
    error: z.string(),
    prompt_hash: z.string(),
    knowledge_version: z.string(),
    cost: z.number().nullable(),
    latency: z.number().nullable().describe('Duration of the review in seconds.'),
    held_back: z.boolean(),
  })
  .meta({ id: 'AiReview' });
export type ReviewRow = z.infer<typeof reviewRow>;

/** Body of POST /task-results/ai-review/bulk. */
export const bulkReview = z.strictObject({
  chip_id: z.string(),
  task: taskName,
  entity_type: z.string().default('qubit'),
  date: z
    .string()
    .nullish()
    .describe('Day as YYYYMMDD in the time zone of the service; null or `latest`: the newest results.'),
  task_ids: z.array(taskIdSchema.max(200)).max(2000).nullish().describe('Review only these results.'),
  model_override: modelOverride.nullish(),
});
export type BulkReview = z.infer<typeof bulkReview>;

const skippedReasons = [
  'copilot_disabled',
  'analysis_disabled',
  'task_not_configured',
  'no_results',
  'under_review',
] as const;

export const requestedReviews = z.object({
  review_run_id: z.string().describe('Empty when nothing is reviewed.'),
  chip_id: z.string(),
  task: z.string(),
  entity_type: z.string(),
  date: z.string().nullable(),
  requested_count: count,
  task_ids: z.array(taskIdSchema),
  skipped_reason: z.enum(skippedReasons).nullable(),
  held_by: z
    .array(z.string())
    .describe('Runs of reviews that contain results of this request; their rows say what they wait for.'),
});

/** Answer of POST /task-results/ai-review/runs/{review_run_id}/cancel. */
export const cancelledReviews = z.object({ review_run_id: z.string(), status: z.literal('cancelling') });
export type CancelledReviews = z.infer<typeof cancelledReviews>;
export type RequestedReviews = z.infer<typeof requestedReviews>;

export const reviewQuality = z.object({
  items: z.array(
    z.object({
      task_name: z.string(),
      model: z.string(),
      reviews: count.describe('Completed reviews of results that people have judged since.'),
      agreed: count,
      missed: count.describe('Passed by the review, refused by people.'),
      false_alarms: count.describe('Refused by the review, kept by people.'),
      labelled: count.describe(
        'Of these, reviews of results that an approved knowledge case has labelled since.',
      ),
      same_label: count.describe('The label of the case is the one that the review suggested.'),
      agreement: z.number().nullable(),
      cost: z.number().nullable(),
      mean_latency: z.number().nullable().describe('Mean duration of the reviews in seconds.'),
    }),
  ),
});
export type ReviewQuality = z.infer<typeof reviewQuality>;

/** Input of the workflow of a review run, and where the next run of its chain continues. */
export interface ReviewBatchInput {
  project_id: ProjectId;
  review_run_id: string;
  /** Maximum number of concurrent reviews. */
  parallel: number;
  total: number;
  model: string;
  /** Number of history events after which it continues as new. */
  history_limit: number;
}

/** Result of a review, or how long its model asks to wait. */
export type Reviewed =
  | { status: 'completed' | 'failed'; decision: string }
  | { status: 'waiting'; seconds: number; reason: string };
