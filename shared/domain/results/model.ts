import { z } from 'zod';
import { boolean, timestamp } from '../../kernel/wire.ts';
import { taskType } from '../../tasks/model.ts';
import { type MeasuredStatus, type TaskStatus, taskStatuses } from './status-rules.ts';

/** A parameter's value, where it came from and when. Further keys are allowed. */
export const storedParameter = z.looseObject({
  parameter_name: z.string().default(''),
  qid_role: z.string().default(''),
  source: z.string().nullable().optional(),
  required: z.boolean().default(false),
  value: z.union([z.number(), z.string(), z.boolean(), z.array(z.union([z.number(), z.string()])), z.null()]),
  value_type: z.string().default(''),
  error: z.number().nullable().optional(),
  unit: z.string().default(''),
  description: z.string().default(''),
  calibrated_at: z.string().nullable().optional(),
  execution_id: z.string().default(''),
  task_id: z.string().default(''),
  previous_database_value: z.union([z.number(), z.string(), z.null()]).optional(),
  database_updated: z.boolean().optional(),
});
export type StoredParameter = z.infer<typeof storedParameter>;
export type StoredParameters = Record<string, StoredParameter>;

/** Run parameters as the wire shows them: name → {value, value_type, unit, description}. */
export const storedRunParameter = z.object({
  value: z.union([z.number(), z.string(), z.boolean(), z.null(), z.array(z.union([z.number(), z.string()]))]),
  value_type: z.string(),
  unit: z.string(),
  description: z.string(),
});
export type StoredRunParameter = z.infer<typeof storedRunParameter>;

const noteObject = z.object({
  content: z.string().default(''),
  updated_by: z.string().default(''),
  updated_at: z.string().nullable().default(null),
});

/** Tasks by their end; `total` counts those that are still open as well. */
export const taskCounts = z.object({
  completed: z.number().int().nonnegative(),
  failed: z.number().int().nonnegative(),
  skipped: z.number().int().nonnegative(),
  cancelled: z.number().int().nonnegative(),
  total: z.number().int().nonnegative(),
});
export type TaskCounts = z.infer<typeof taskCounts>;

/** What one rule for outputs said of a value, with the numbers that decided. */
export const gateResult = z.object({
  rule: z.enum(['finite', 'fidelity', 'r2', 'bounds']),
  passed: z.boolean(),
  detail: z.string(),
});
export type GateResult = z.infer<typeof gateResult>;

/** Outcome of a measurement, stored on its task before anything else changes. */
export interface TaskOutcome {
  status: MeasuredStatus;
  message: string;
  outputs: StoredParameters;
  quality_metrics: Record<string, number | null>;
  /** Of each output; outcomes of 0.2.0 have none. */
  gates?: Record<string, GateResult[]>;
  /** The times that its backend reported and how far that clock is off. */
  note?: Record<string, string>;
  /** Of a failed task: what it found, which did not fit to what is known. */
  doubted?: DoubtedValues;
  /** Of a failed task: its target goes on with the tasks that follow. */
  goes_on?: true;
  figure_path: string[];
  json_figure_path: string[];
  raw_data_path: string[];
  start_at: Date | null;
  end_at: Date;
}

/** How the newest review of a result stands. */
export interface AiReviewState {
  status: 'requested' | 'running' | 'completed' | 'failed';
  requested_at: string;
  requested_by: string;
  review_run_id: string;
  trigger_type: string;
  model_provider: string;
  model_name: string;
  completed_at: string | null;
  error: string;
  decision: string;
  /** Whether its value should go nowhere before a person has looked at it. */
  held_back: boolean;
}

/** A measurement of a task after which it measured again with other settings. */
export interface TaskPass {
  /** Follows from the step that asked for the next pass, so that a repeated step adds none. */
  id: string;
  /** Why it measured again. */
  reason: string;
  raw_data_path: string[];
  /** What it found, where the next pass is to confirm that. */
  doubted?: DoubtedValues;
}

/** Values that were found and are doubted. */
export type DoubtedValues = Record<string, { value: number; error: number | null }>;

/** A task result as stored; `_id` is `<project_id>/<task_id>`. */
export interface TaskResultDocument {
  _id: string;
  project_id: string;
  task_id: string;
  execution_id: string;
  chip_id: string;
  user_id: string;
  username: string;
  name: string;
  task_type: z.infer<typeof taskType>;
  qid: string;
  /** Stage of the execution, and position of the task in the stage's list. */
  stage: number;
  index: number;
  epoch: number;
  attempt: number;
  upstream_id: string;
  source_task_id: string;
  status: TaskStatus;
  message: string;
  stack_trace: string;
  input_parameters: StoredParameters;
  output_parameters: StoredParameters;
  output_parameter_names: string[];
  run_parameters: Record<string, StoredRunParameter>;
  quality_metrics: Record<string, number | null>;
  /** How each output was judged; results of 0.2.0 have none. */
  gates?: Record<string, GateResult[]>;
  note: Record<string, string>;
  user_note: z.infer<typeof noteObject> | null;
  /** How its newest review stands, and what that says; absent until one is asked for. */
  ai_review?: AiReviewState;
  ai_review_note?: z.infer<typeof noteObject>;
  figure_path: string[];
  json_figure_path: string[];
  raw_data_path: string[];
  tags: string[];
  cooldown_id: string | null;
  /** Versions of the inputs as they were when the task was prepared, for provenance. */
  used_entities: string[];
  start_at: Date | null;
  end_at: Date | null;
  /** When the end was written, which may be later than it came: the order in which watchers are told. */
  closed_at?: Date | null;
  elapsed_time: number | null;
  /** Time after which the measurement counts as lost. */
  deadline: Date | null;
  /** Measurements before the one that counts; absent where the first one does. */
  passes?: TaskPass[];
  /** What was found and not taken over, since it did not fit to what is known: the next result may confirm it. */
  doubted?: DoubtedValues;
  /** Of a failed task: its target goes on with the tasks that follow. */
  goes_on?: true;
  /** Present between the outcome's first write and the end status. */
  outcome?: TaskOutcome;
  /** Whether metrics leave the result out; absent until somebody first said so, or took it back. */
  excluded?: boolean;
  excluded_reason?: string;
  excluded_by_user_id?: string;
  excluded_by?: string;
  excluded_at?: Date;
  created_at: Date;
}

/** Whether metrics leave a result out, and who said so last. */
export const exclusion = z
  .object({
    task_id: z.string(),
    excluded: z.boolean(),
    excluded_reason: z.string(),
    excluded_by_user_id: z.string(),
    excluded_by: z.string(),
    excluded_at: timestamp.nullable(),
  })
  .meta({ id: 'Exclusion' });
export type Exclusion = z.infer<typeof exclusion>;

/** Body of POST /task-results/{task_id}/exclude. */
export const excludeResult = z.object({
  excluded: boolean(),
  reason: z.string().max(2000).nullable().default(''),
});
export type ExcludeResult = z.infer<typeof excludeResult>;

/** Name of an output: it is part of a field's path in the store. */
export const outputName = z
  .string()
  .regex(/^[^.$\0]{1,200}$/, 'must be the name of a parameter, without . and $');

/** GET /task-results/timeseries: the records of one output by target, oldest first. */
export const outputSeries = z.object({ data: z.record(z.string(), z.array(storedParameter)) });
export type OutputSeries = z.infer<typeof outputSeries>;

const status = z.enum(taskStatuses);

/** A task inside an execution's detail. */
export const executionTask = z.object({
  user_id: z.string(),
  username: z.string(),
  task_id: z.string(),
  qid: z.string(),
  name: z.string(),
  upstream_id: z.string(),
  status,
  message: z.string(),
  input_parameters: z.record(z.string(), storedParameter),
  output_parameters: z.record(z.string(), storedParameter),
  output_parameter_names: z.array(z.string()),
  run_parameters: z.record(z.string(), storedRunParameter),
  note: z.record(z.string(), z.string()),
  figure_path: z.array(z.string()),
  json_figure_path: z.array(z.string()),
  raw_data_path: z.array(z.string()),
  start_at: z.string().nullable(),
  end_at: z.string().nullable(),
  elapsed_time: z.string().nullable(),
  task_type: taskType,
  default_view: z.boolean(),
});
export type ExecutionTask = z.infer<typeof executionTask>;

/** A task result with everything that is known of it. */
export const taskResult = z.object({
  task_id: z.string(),
  task_name: z.string(),
  qid: z.string(),
  chip_id: z.string(),
  status,
  execution_id: z.string(),
  flow_name: z.string(),
  user_id: z.string(),
  username: z.string(),
  figure_path: z.array(z.string()),
  json_figure_path: z.array(z.string()),
  raw_data_path: z.array(z.string()),
  input_parameters: z.record(z.string(), storedParameter),
  output_parameters: z.record(z.string(), storedParameter),
  output_parameter_names: z.array(z.string()),
  run_parameters: z.record(z.string(), storedRunParameter),
  quality_metrics: z.record(z.string(), z.number().nullable()),
  note: z.record(z.string(), z.string()),
  tags: z.array(z.string()),
  message: z.string(),
  stack_trace: z.string(),
  source_task_id: z.string(),
  re_executions: z.array(
    z.object({
      task_id: z.string(),
      task_name: z.string(),
      qid: z.string(),
      status,
      start_at: z.string().nullable(),
    }),
  ),
  start_at: z.string().nullable(),
  end_at: z.string().nullable(),
  elapsed_time: z.string().nullable(),
  ai_review_note: noteObject,
});
export type TaskResult = z.infer<typeof taskResult>;

/** Item of GET /task-results. */
export const taskResultItem = z.object({
  task_id: z.string(),
  task_name: z.string(),
  qid: z.string(),
  chip_id: z.string(),
  status,
  execution_id: z.string(),
  user_id: z.string(),
  username: z.string(),
  message: z.string(),
  has_stack_trace: z.boolean(),
  source_task_id: z.string(),
  start_at: z.string().nullable(),
  end_at: z.string().nullable(),
  elapsed_time: z.string().nullable(),
  ai_review_status: z.string(),
});
export type TaskResultItem = z.infer<typeof taskResultItem>;

/** AI review state beside a latest or history entry; an empty status was never reviewed. */
const aiReviewState = z.object({
  status: z.string(),
  requested_at: z.string().nullable(),
  requested_by: z.string(),
  review_run_id: z.string(),
  trigger_type: z.string(),
  model_provider: z.string(),
  model_name: z.string(),
  completed_at: z.string().nullable(),
  error: z.string(),
  decision: z.string(),
  held_back: z.boolean().describe('The value should go nowhere before a person has looked at it.'),
});

/** Entry of latest and history answers; a target without a result has only name, status and default_view. */
export const latestEntry = z.union([
  executionTask.extend({ execution_id: z.string(), over_threshold: z.boolean(), ai_review: aiReviewState }),
  z.object({
    name: z.string(),
    status: z.literal('pending'),
    default_view: z.boolean(),
    over_threshold: z.boolean(),
  }),
]);
export type LatestEntry = z.infer<typeof latestEntry>;
