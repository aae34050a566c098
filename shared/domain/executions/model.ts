import { z } from 'zod';
import {
  type ExecutionId,
  executionIdSchema,
  type ProjectId,
  type TaskId,
  type UserId,
  userIdSchema,
} from '../../kernel/ids.ts';
import { timestamp } from '../../kernel/wire.ts';
import type { Tolerance } from '../../tasks/check-model.ts';
import type { FlowAnswer, FlowCommand, JsonValue, StageSchedule } from '../flows/model.ts';
import {
  type ExecutionTaskField,
  executionTask,
  type StoredParameters,
  type storedRunParameter,
  type TaskCheck,
  type TaskCounts,
} from '../results/model.ts';
import {
  type ControlRequest,
  executionStatuses,
  flowRunStates,
  type Preempted,
  type Waiting,
  type WaitKind,
} from './status-rules.ts';

const status = z.enum(executionStatuses);

/** Counts per stage, the only part of an execution's note that is not a string. */
const stageCounts = z.record(z.string(), z.record(z.string(), z.number()));

/** An execution's note: strings by name, and `stages`. */
export const executionNote = z.object({ stages: stageCounts.optional() }).catchall(z.string());
export type ExecutionNote = z.infer<typeof executionNote>;

/** An execution in a list. */
export const executionSummary = z.object({
  name: z.string(),
  execution_id: executionIdSchema,
  status,
  message: z.string().nullable(),
  user_id: userIdSchema,
  username: z.string(),
  start_at: timestamp.nullable(),
  end_at: timestamp.nullable(),
  elapsed_time: z.string().nullable(),
  tags: z.array(z.string()),
  note: executionNote,
  flow_run_state: z.enum(flowRunStates),
});
export type ExecutionSummary = z.infer<typeof executionSummary>;

export const executionList = z.object({
  executions: z.array(executionSummary),
  total: z.number().int(),
  skip: z.number().int(),
  limit: z.number().int(),
});

export const tagList = z.object({ tags: z.array(z.object({ name: z.string() })) });

/** A log line (`message`) or a record (`name` and `value`) of a flow; both share one numbering over the run. */
export const executionLogEntry = z.object({
  index: z.number().int(),
  kind: z.enum(['log', 'record']),
  message: z.string().nullable(),
  name: z.string().nullable(),
  value: z.unknown().describe('What was recorded under the name, any JSON; null for a message.'),
  at: timestamp,
});
export type ExecutionLogEntry = z.infer<typeof executionLogEntry>;

export const executionLog = z.object({
  log: z
    .array(executionLogEntry)
    .describe(
      'All values, and the first 500 and newest 500 messages; a message between them names the file with all.',
    ),
  total: z.number().int(),
  skip: z.number().int(),
  limit: z.number().int(),
});

/** An execution with its tasks. It contains `execution_id` because clients may have looked it up by its flow run id. */
export const executionDetail = z.object({
  name: z.string(),
  execution_id: executionIdSchema,
  status,
  message: z.string().nullable(),
  flow_name: z.string(),
  user_id: userIdSchema,
  username: z.string(),
  start_at: timestamp.nullable(),
  end_at: timestamp.nullable(),
  elapsed_time: z.string().nullable(),
  task: z.array(executionTask),
  note: executionNote,
  tags: z.array(z.string()),
  chip_id: z.string(),
  flow_run_state: z.enum(flowRunStates),
  waiting: z.string().nullable().describe('What the run waits for; null while it does not wait.'),
  preempts: z
    .string()
    .nullable()
    .describe('The execution of lower priority between whose measurements this one uses the chip.'),
  preempted_by: z.string().nullable().describe('The execution that uses the chip between measurements.'),
  flow_run_url: z.string().nullable().describe("The run in Temporal's UI; null if it has no workflow."),
  log: z.array(executionLogEntry).describe('The newest 200 that the flow logged or recorded, in order.'),
});
export type ExecutionDetail = z.infer<typeof executionDetail>;

/** As {@link executionDetail}, with only the requested fields of the tasks. */
export const executionDetailPart = executionDetail
  .extend({ task: z.array(executionTask.partial().meta({ id: 'ExecutionTaskPart' })) })
  .meta({ id: 'ExecutionPart' });

/** Which tasks the detail of an execution shows, and which of their fields. */
export interface ShownTasks {
  fields?: readonly ExecutionTaskField[] | undefined;
  skip?: number | undefined;
  limit?: number | undefined;
}

/** How the tasks at one position of a stage's list ended; `yield` is the fraction of measured tasks that completed. */
export const taskYield = z.object({
  task: z.string(),
  completed: z.number().int(),
  failed: z.number().int(),
  skipped: z.number().int(),
  cancelled: z.number().int(),
  yield: z.number().min(0).max(1).nullable(),
});
export type TaskYield = z.infer<typeof taskYield>;

/** The last value of each output of a stage, by parameter and target. */
const stageMetrics = z.record(
  z.string(),
  z.object({
    unit: z.string(),
    values: z.record(z.string(), z.object({ value: z.number().nullable(), error: z.number().nullable() })),
  }),
);
export type StageMetrics = z.infer<typeof stageMetrics>;

/** A stage of an execution; fields that are only known at its end are empty or null before. */
export const executionStage = z.object({
  index: z.number().int(),
  name: z.string(),
  status: z.enum(['running', 'done', 'cancelled']),
  tasks: z.array(z.string()),
  targets: z.number().int(),
  counts: z.record(z.string(), z.number().int()).nullable(),
  passed: z.array(z.string()),
  failed: z.array(
    z.object({ target: z.string(), task: z.string(), message: z.string() }).meta({ id: 'StageFailure' }),
  ),
  yields: z.array(taskYield),
  target_yield: z.number().min(0).max(1).nullable().describe('Share of the targets that passed every task.'),
  start_at: timestamp,
  end_at: timestamp.nullable(),
});
export type ExecutionStage = z.infer<typeof executionStage>;

export const executionStageList = z.object({
  stages: z.array(executionStage),
  total: z.number().int(),
  skip: z.number().int(),
  limit: z.number().int(),
});

export const executionStageDetail = executionStage.extend({
  metrics: stageMetrics,
  metrics_truncated: z.boolean().describe('True when the stage found more values than are kept here.'),
});
export type ExecutionStageDetail = z.infer<typeof executionStageDetail>;

/** A wait of a run that is over; `resume`: it was paused. */
export interface PastWait {
  kind?: WaitKind | 'resume';
  from: Date;
  to: Date;
}

/** An execution as stored; `_id` is `<project_id>/<execution_id>`. */
export interface ExecutionDocument {
  _id: string;
  project_id: ProjectId;
  execution_id: ExecutionId;
  chip_id: string;
  user_id: UserId;
  username: string;
  /** Name given by the flow; lists show `<name>-<execution_id>`. */
  name: string;
  backend: string;
  trigger: string;
  /** Directory of its files, relative to the calibration data root. */
  calib_data_path: string;
  status: z.infer<typeof status>;
  message: string | null;
  tags: string[];
  note: ExecutionNote;
  start_at: Date;
  end_at: Date | null;
  elapsed_time: number | null;
  /** When a cancel was requested; the reconciler terminates runs that do not honour it. */
  cancel_requested_at: Date | null;
  /** Who paused the run, until it is resumed, and who stopped it. */
  paused?: ControlRequest | null;
  stopping?: ControlRequest | null;
  /** What else the run waits for, as reported by its workflow. */
  waiting?: Waiting | null;
  /** The execution in between whose measurements this one uses the chip; absent if it holds the project itself. */
  preempts?: string;
  /** The execution that uses the chip in between. */
  preempted?: Preempted | null;
  /** Waits that are over, the first ones; absent if there were none, and for runs of older releases. */
  waits?: PastWait[];
  /** What keeps the run from continuing without anyone's intent, according to the engine. */
  trouble?: Waiting | null;
  /** True when the engine ended the run, not its own workflow code. */
  crashed?: boolean;
  created_at: Date;
}

/** The request of a run; written before it starts and never changed. `_id` as for executions. */
export interface ExecutionRequestDocument {
  _id: string;
  project_id: ProjectId;
  execution_id: ExecutionId;
  flow: { name: string; hash: string; function_name: string } | null;
  parameters: Record<string, JsonValue>;
  default_run_parameters: Record<string, JsonValue>;
  task: {
    name: string;
    qid: string;
    input_overrides: Record<string, JsonValue>;
    run_overrides: Record<string, JsonValue>;
    /** Task result that is repeated; empty if there is none. */
    source_task_id: TaskId;
    /** Whether inputs and run parameters come from the source, not from calibration state and catalog. */
    from_snapshot: boolean;
    /** Whether Configure runs first. */
    reconfigure: boolean;
    /** Whether outputs become calibration state. */
    persist: boolean;
    /** Whether only its check form is measured. */
    check?: true | undefined;
  } | null;
  /** The only targets that may be measured; absent: all that the flow names. */
  targets?: string[] | undefined;
  /** For a retry: the earlier runs, and the targets that they calibrated, which pass without a measurement. */
  earlier?: { execution_ids: ExecutionId[]; passed: string[] } | undefined;
  /** Where the run comes from; also stored in the execution's note. */
  origin?: Record<string, string> | undefined;
  /** Milliseconds of processor time that the code of the run's flow has used so far. */
  flow_ms?: number | undefined;
  created_at: Date;
}

/** The inputs of an earlier task, to repeat it with the same values. */
export interface InputSnapshot {
  task_id: TaskId;
  inputs: StoredParameters;
}

/** One task of a stage's plan. */
export interface PlannedTask {
  name: string;
  /** Hash of the declaration of a task that a backend declares: a later declaration does not change a run in progress. */
  declaration?: string | undefined;
  scope: 'target' | 'mux' | 'batch';
  run_parameters: Record<string, z.infer<typeof storedRunParameter>>;
  /** Values that replace those of the calibration state. */
  input_overrides: Record<string, JsonValue>;
  /** Added to the values of these inputs in the calibration state. */
  input_offsets?: Record<string, number> | undefined;
  /** Whether it is measured once more if it is refused, with what its refusal suggests. */
  repeat_refused?: true | undefined;
  /** Task result that this task repeats. */
  source_task_id?: TaskId | undefined;
  /** Inputs that replace the calibration state completely. */
  snapshot?: InputSnapshot | undefined;
  /** If false, outputs are stored in the task result only. */
  persist?: boolean | undefined;
  /** Only the check form of the task is measured; it stores no outputs. */
  check?:
    | {
        /** By parameter, in place of those that the task declares. */
        tolerances: Record<string, Tolerance>;
        /** For the repetition of an earlier check: the values that it compared. Its run parameters are those of the plan. */
        repeated?: TaskCheck['values'] | undefined;
      }
    | undefined;
}

/** Summary of a stage, computed from its rows when it ends. */
export interface StageSummary {
  counts: TaskCounts;
  passed: string[];
  failed: { target: string; task: string; message: string }[];
  yields?: TaskYield[];
  /** Not included in the commands that a flow's planner reads, because it may be large. */
  metrics?: StageMetrics;
  metrics_truncated?: boolean;
}

/**
 * One command of a run's flow and its outcome. `_id` is `<project_id>/<execution_id>/<index>`. A stage has a plan; `answered_at`
 * is set once, when the command is done.
 */
export interface FlowCommandDocument {
  _id: string;
  project_id: ProjectId;
  execution_id: ExecutionId;
  index: number;
  kind: FlowCommand['kind'];
  name: string;
  command: JsonValue;
  tasks: PlannedTask[];
  targets: string[];
  parallel: number | null;
  /** Steps, each with lanes of targets; absent: one step in which every target is a lane. */
  schedule?: StageSchedule | undefined;
  status: 'planned' | 'done' | 'cancelled';
  summary: StageSummary | null;
  /** Answer to a command that is neither a stage nor a wait. */
  answer?: FlowAnswer | undefined;
  answered_at: Date | null;
  created_at: Date;
}
