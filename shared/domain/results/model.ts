import { z } from 'zod';
import {
  type ExecutionId,
  executionIdSchema,
  NO_EXECUTION,
  NO_TASK,
  type ProjectId,
  type TaskId,
  taskIdSchema,
  type UserId,
  userIdSchema,
} from '../../kernel/ids.ts';
import { timestamp } from '../../kernel/wire.ts';
import { checkOutcomes } from '../../tasks/check-model.ts';
import { taskType } from '../../tasks/model.ts';
import { type MeasuredStatus, type TaskStatus, taskStatuses } from './status-rules.ts';

/** A parameter's value, with its origin and time. Further keys are allowed. */
export const storedParameter = z.looseObject({
  parameter_name: z.string().default(NO_EXECUTION),
  qid_role: z.string().default(''),
  source: z.string().nullable().optional(),
  required: z.boolean().default(false),
  value: z.union([z.number(), z.string(), z.boolean(), z.array(z.union([z.number(), z.string()])), z.null()]),
  value_type: z.string().default(''),
  error: z.number().nullable().optional(),
  unit: z.string().default(''),
  description: z.string().default(''),
  calibrated_at: timestamp.nullable().optional(),
  execution_id: executionIdSchema.default(NO_EXECUTION),
  task_id: taskIdSchema.default(NO_TASK),
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

export const noteObject = z.object({
  content: z.string().default(''),
  updated_by: z.string().default(''),
  updated_at: timestamp.nullable().default(null),
});

/** Numbers of tasks by final status; `total` also counts tasks that are still open. */
export const taskCounts = z.object({
  completed: z.number().int().nonnegative(),
  failed: z.number().int().nonnegative(),
  skipped: z.number().int().nonnegative(),
  cancelled: z.number().int().nonnegative(),
  total: z.number().int().nonnegative(),
});
export type TaskCounts = z.infer<typeof taskCounts>;

/** The result of one output rule for a value, with the numbers that decided. */
export const gateResult = z.object({
  rule: z.enum(['finite', 'fidelity', 'r2', 'bounds']),
  passed: z.boolean(),
  detail: z.string(),
});
export type GateResult = z.infer<typeof gateResult>;

/** What a check compares, and what it found; the outcome is null until it has ended. */
export const taskCheck = z
  .object({
    outcome: z
      .enum(checkOutcomes)
      .nullable()
      .describe(
        'in_specification: all values are within their tolerances; out_of_specification: one is beyond; bad_data: the data are implausible for the experiment, or inconclusive.',
      ),
    reason: z.string().describe('A message with the numbers that decided.'),
    values: z.record(
      z.string(),
      z
        .object({
          value: z.number().describe('Expected value.'),
          tolerance: z.number().describe('Allowed deviation from the expected value, in the same unit.'),
          found: z.number().nullable(),
          error: z.number().nullable(),
          unit: z.string(),
        })
        .meta({ id: 'CheckedValue' }),
    ),
  })
  .meta({ id: 'TaskCheck' });
export type TaskCheck = z.infer<typeof taskCheck>;

/** Outcome of a measurement, stored on its task before anything else changes. */
export interface TaskOutcome {
  status: MeasuredStatus;
  message: string;
  outputs: StoredParameters;
  quality_metrics: Record<string, number | null>;
  /** By output; outcomes of 0.2.0 have none. */
  gates?: Record<string, GateResult[]>;
  /** The times reported by the backend, and the offset of its clock. */
  note?: Record<string, string>;
  /** For a check: its result. */
  check?: TaskCheck;
  /** For a failed task: the values that were found but contradict known values. */
  doubted?: DoubtedValues;
  /** For a failed task: its target continues with the following tasks. */
  goes_on?: true;
  /** For a refused task: the run parameters with which it may succeed; absent if none are known. */
  suggested_run_parameters?: SuggestedRunParameters;
  figure_path: string[];
  json_figure_path: string[];
  raw_data_path: string[];
  start_at: Date | null;
  end_at: Date;
}

/** State of a result's newest review. */
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
  /** Whether the value must not be used before a user has reviewed it. */
  held_back: boolean;
}

/** A measurement of a task that was followed by another one with other settings. */
export interface TaskPass {
  /** Derived from the step that requested the next pass, so that a repeated step adds no second one. */
  id: string;
  /** The reason for measuring again. */
  reason: string;
  raw_data_path: string[];
  /** Its values, if the next pass must confirm them. */
  doubted?: DoubtedValues;
  /** Whether the next pass is the repetition that the stage asks for; there is at most one. */
  repeats?: true;
}

/** Run parameters that a refusal suggests in place of those it was measured with. */
export type SuggestedRunParameters = Record<string, StoredRunParameter>;

/** Measured values that need confirmation. */
export type DoubtedValues = Record<string, { value: number; error: number | null }>;

/** A task result as stored; `_id` is `<project_id>/<task_id>`. */
export interface TaskResultDocument {
  _id: string;
  project_id: ProjectId;
  task_id: TaskId;
  execution_id: ExecutionId;
  chip_id: string;
  user_id: UserId;
  username: string;
  name: string;
  task_type: z.infer<typeof taskType>;
  qid: string;
  /** Stage of the execution, and position of the task in the stage's list. */
  stage: number;
  index: number;
  epoch: number;
  attempt: number;
  upstream_id: TaskId;
  source_task_id: TaskId;
  status: TaskStatus;
  message: string;
  stack_trace: string;
  input_parameters: StoredParameters;
  output_parameters: StoredParameters;
  output_parameter_names: string[];
  run_parameters: Record<string, StoredRunParameter>;
  quality_metrics: Record<string, number | null>;
  /** Rule results by output; results of 0.2.0 have none. */
  gates?: Record<string, GateResult[]>;
  note: Record<string, string>;
  user_note: z.infer<typeof noteObject> | null;
  /** State and conclusion of the newest review; absent until one is requested. */
  ai_review?: AiReviewState;
  ai_review_note?: z.infer<typeof noteObject>;
  figure_path: string[];
  json_figure_path: string[];
  raw_data_path: string[];
  tags: string[];
  cooldown_id: string | null;
  /** Versions of the inputs at the time when the task was prepared, for provenance. */
  used_entities: string[];
  start_at: Date | null;
  end_at: Date | null;
  /** When the end was written, which may be later than the end itself. Watchers are notified in this order. */
  closed_at?: Date | null;
  elapsed_time: number | null;
  /** Time after which the measurement counts as lost. */
  deadline: Date | null;
  /** Present for a check. */
  check?: TaskCheck;
  /** Earlier measurements than the final one; absent if there are none. */
  passes?: TaskPass[];
  /** Values that were found but not applied, because they contradict known values. The next result may confirm them. */
  doubted?: DoubtedValues;
  /** For a failed task: its target continues with the following tasks. */
  goes_on?: true;
  /** For a refused task: the run parameters with which it may succeed; absent if none are known. */
  suggested_run_parameters?: SuggestedRunParameters;
  /** Present between the outcome's first write and the end status. */
  outcome?: TaskOutcome;
  /** Whether metrics exclude the result; absent until a user first excludes or includes it. */
  excluded?: boolean;
  excluded_reason?: string;
  excluded_by_user_id?: UserId;
  excluded_by?: string;
  excluded_at?: Date;
  /** When the project's rule deleted its figures and raw data. */
  files_deleted_at?: Date;
  /** Number of changes of what lists and executions show, and time of the last one; absent before the first since 0.3.0. */
  revision?: number;
  changed_at?: Date;
  created_at: Date;
}

/** The files of a result, and the comments on it. */
export type ResultFiles = Pick<
  TaskResultDocument,
  | '_id'
  | 'task_id'
  | 'figure_path'
  | 'json_figure_path'
  | 'raw_data_path'
  | 'user_note'
  | 'excluded'
  | 'excluded_at'
> & { passes?: Pick<TaskPass, 'raw_data_path'>[] };

/** Name of an output. It becomes part of a field path in the store. */
export const outputName = z
  .string()
  .regex(/^[^.$\0]{1,200}$/, 'must be the name of a parameter, without . and $');

/** GET /task-results/timeseries: the records of one output by target, oldest first. */
export const outputSeries = z.object({ data: z.record(z.string(), z.array(storedParameter)) });
export type OutputSeries = z.infer<typeof outputSeries>;

const status = z.enum(taskStatuses);

/** A task inside an execution's detail. */
export const executionTask = z.object({
  user_id: userIdSchema,
  username: z.string(),
  task_id: taskIdSchema,
  qid: z.string(),
  name: z.string(),
  upstream_id: taskIdSchema,
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
  start_at: timestamp.nullable(),
  end_at: timestamp.nullable(),
  elapsed_time: z.string().nullable(),
  task_type: taskType,
  default_view: z.boolean(),
});
export type ExecutionTask = z.infer<typeof executionTask>;

/** Names of the fields of a task inside an execution's detail. */
export const executionTaskField = executionTask.keyof();
export type ExecutionTaskField = z.infer<typeof executionTaskField>;
/** Fields that make up most of a task and may be left unread. */
export const largeFields = ['input_parameters', 'output_parameters', 'run_parameters'] as const;
export const executionTaskFields: readonly ExecutionTaskField[] = executionTaskField.options;

/** A task result with all details. */
export const taskResult = z.object({
  task_id: taskIdSchema,
  task_name: z.string(),
  qid: z.string(),
  chip_id: z.string(),
  status,
  execution_id: executionIdSchema,
  flow_name: z.string(),
  user_id: userIdSchema,
  username: z.string(),
  figure_path: z.array(z.string()),
  json_figure_path: z.array(z.string()),
  raw_data_path: z.array(z.string()),
  input_parameters: z.record(z.string(), storedParameter),
  output_parameters: z.record(z.string(), storedParameter),
  output_parameter_names: z.array(z.string()),
  run_parameters: z.record(z.string(), storedRunParameter),
  suggested_run_parameters: z
    .record(z.string(), storedRunParameter)
    .describe(
      'If the result was refused: run parameters with which the task may succeed. Empty if none are known.',
    ),
  check: taskCheck.nullable().describe('Result of a check; null for other tasks.'),
  quality_metrics: z.record(z.string(), z.number().nullable()),
  note: z.record(z.string(), z.string()),
  tags: z.array(z.string()),
  message: z.string(),
  stack_trace: z.string(),
  source_task_id: taskIdSchema,
  re_executions: z.array(
    z.object({
      task_id: taskIdSchema,
      task_name: z.string(),
      qid: z.string(),
      status,
      start_at: timestamp.nullable(),
    }),
  ),
  start_at: timestamp.nullable(),
  end_at: timestamp.nullable(),
  elapsed_time: z.string().nullable(),
  ai_review_note: noteObject,
});
export type TaskResult = z.infer<typeof taskResult>;

/** Item of GET /task-results. */
export const taskResultItem = z.object({
  task_id: taskIdSchema,
  task_name: z.string(),
  qid: z.string(),
  chip_id: z.string(),
  status,
  execution_id: executionIdSchema,
  user_id: userIdSchema,
  username: z.string(),
  message: z.string(),
  has_stack_trace: z.boolean(),
  source_task_id: taskIdSchema,
  start_at: timestamp.nullable(),
  end_at: timestamp.nullable(),
  elapsed_time: z.string().nullable(),
  ai_review_status: z.string(),
});
export type TaskResultItem = z.infer<typeof taskResultItem>;

/** AI review state of a latest or history entry; an empty status means never reviewed. */
export const aiReviewState = z.object({
  status: z.string(),
  requested_at: timestamp.nullable(),
  requested_by: z.string(),
  review_run_id: z.string(),
  trigger_type: z.string(),
  model_provider: z.string(),
  model_name: z.string(),
  completed_at: timestamp.nullable(),
  error: z.string(),
  decision: z.string(),
  held_back: z.boolean().describe('The value should not be used before a person has looked at it.'),
});

/** Entry of latest and history answers for a target with a result. */
export const measuredEntry = executionTask.extend({
  status: status.exclude(['pending']),
  execution_id: executionIdSchema,
  over_threshold: z.boolean(),
  ai_review: aiReviewState,
});

/** Entry for a target without a result. */
export const pendingEntry = z.object({
  name: z.string(),
  status: z.literal('pending'),
  default_view: z.boolean(),
  over_threshold: z.boolean(),
});

/** Entry of latest and history answers; `status` says which of the two it is. */
export const latestEntry = z.discriminatedUnion('status', [measuredEntry, pendingEntry]);
export type LatestEntry = z.infer<typeof latestEntry>;
