import { z } from 'zod';
import { hasControlCharacters } from '../../kernel/text.ts';
import { checkOutcomes } from '../../tasks/check-model.ts';
import { maintainDecisions, maintainPhases } from '../maintenance/maintain-model.ts';
import { valueStates } from '../maintenance/state-rules.ts';
import { taskCounts } from '../results/model.ts';
import { FLOW_LIMITS } from './rules.ts';

/** A name given by a flow, in characters that engine, store and people can handle. */
const name = z
  .string()
  .min(1)
  .max(100)
  .refine((text) => !hasControlCharacters(text), 'a name has no control characters');

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** Any JSON value: what a flow may receive as a parameter, record or return. Named because it is recursive. */
export const jsonValue: z.ZodType<JsonValue, JsonValue> = z
  .lazy(() =>
    z.union([
      z.string(),
      z.number(),
      z.boolean(),
      z.null(),
      z.array(jsonValue),
      z.record(z.string(), jsonValue),
    ]),
  )
  .meta({ id: 'JsonValue' });

export const runParameterValue = z.union([
  z.number(),
  z.string(),
  z.boolean(),
  z.array(z.union([z.number(), z.string()])),
]);
export type RunParameterValue = z.infer<typeof runParameterValue>;

/** Run parameters that differ from the catalog's. */
const runParameterValues = z.record(z.string(), z.strictObject({ value: runParameterValue }));

/** One task of a stage, with the run parameters that differ from the catalog's. */
const stageTask = z.strictObject({
  name,
  run_parameters: runParameterValues.optional(),
  /** Only measures whether the stored values are within their tolerances; writes none. */
  check: z.boolean().optional(),
});
export type StageTask = z.infer<typeof stageTask>;

/** Steps run one after another, the lanes of a step in parallel, the targets of a lane one after another. */
const stageSchedule = z.array(z.array(z.array(z.string().min(1)).min(1)).min(1)).min(1);
export type StageSchedule = z.infer<typeof stageSchedule>;

/**
 * Runs these tasks, in this order, on each of these targets; at most `parallel` targets at a time. Without a schedule there is
 * one step in which every target is a lane. A schedule must contain every target exactly once.
 */
export const stageCommand = z.strictObject({
  kind: z.literal('stage'),
  name,
  tasks: z.array(stageTask).min(1),
  targets: z.array(z.string().min(1)).min(1),
  parallel: z.number().int().positive().optional(),
  schedule: stageSchedule.optional(),
  /** For every task of the stage that has this run parameter. */
  run_parameters: runParameterValues.optional(),
  /** Added to the values of these inputs in the calibration state, in their units. */
  input_offsets: z.record(z.string(), z.number()).optional(),
  /** Whether a refused task is measured once more, with the run parameters that its refusal suggests. */
  repeat_refused: z.boolean().optional(),
});
export type StageCommand = z.infer<typeof stageCommand>;

const sleepCommand = z.strictObject({
  kind: z.literal('sleep'),
  seconds: z.number().nonnegative().max(FLOW_LIMITS.sleepSeconds),
});

/** Asks people a question; after `deadline_seconds` the answer is `default`. */
const approvalCommand = z.strictObject({
  kind: z.literal('approval'),
  question: z.string().min(1).max(FLOW_LIMITS.messageCharacters),
  options: z.array(name).min(1).max(20),
  deadline_seconds: z.number().positive().max(FLOW_LIMITS.sleepSeconds),
  default: name,
});
export type ApprovalCommand = z.infer<typeof approvalCommand>;

/** Requests the order in which to measure qubits. */
const qubitScheduleCommand = z.strictObject({
  kind: z.literal('qubit_schedule'),
  qids: z.array(z.string().min(1)).min(1),
  mode: z.enum(['scheduled', 'synchronized', 'serial', 'simultaneous']),
  batches: z.enum(['all', 'local_index']).optional(),
  ordering: z.enum(['natural', 'checkerboard', 'parity']).optional(),
});
export type QubitScheduleCommand = z.infer<typeof qubitScheduleCommand>;

/** Requests groups of pairs of these qubits that can be calibrated together. */
const pairScheduleCommand = z.strictObject({
  kind: z.literal('pair_schedule'),
  candidates: z.array(z.string().min(1)),
  max_parallel_ops: z.number().int().positive(),
  inverse: z.boolean(),
  strategy: z.enum(['intra_first', 'intra_then_inter']).optional(),
  spectators: z.boolean().optional(),
});
export type PairScheduleCommand = z.infer<typeof pairScheduleCommand>;

/** Requests the values of one parameter in the calibration state. */
const valuesCommand = z.strictObject({
  kind: z.literal('values'),
  parameter: name,
  targets: z.array(z.string().min(1)).min(1),
});
export type ValuesCommand = z.infer<typeof valuesCommand>;

/** Requests which of these tasks hold on which of these targets, without a measurement. */
const maintenanceCommand = z.strictObject({
  kind: z.literal('maintenance'),
  tasks: z.array(name).min(1).max(FLOW_LIMITS.maintainedTasks),
  targets: z.array(z.string().min(1)).min(1),
});
export type MaintenanceCommand = z.infer<typeof maintenanceCommand>;

/** Requests on which of these targets a task last found another value than before. */
const changesCommand = z.strictObject({
  kind: z.literal('changes'),
  task: name,
  targets: z.array(z.string().min(1)).min(1),
});
export type ChangesCommand = z.infer<typeof changesCommand>;

/** Requests what the run's newest check of a task found on each of these targets. */
const checksCommand = z.strictObject({
  kind: z.literal('checks'),
  task: name,
  targets: z.array(z.string().min(1)).min(1),
});
export type ChecksCommand = z.infer<typeof checksCommand>;

/** A command of a flow. The workflow carries out stages, waits and approvals; the other commands are answered immediately. */
export const flowCommand = z.discriminatedUnion('kind', [
  stageCommand,
  sleepCommand,
  approvalCommand,
  qubitScheduleCommand,
  pairScheduleCommand,
  valuesCommand,
  maintenanceCommand,
  changesCommand,
  checksCommand,
]);
export type FlowCommand = z.infer<typeof flowCommand>;

/** Commands that are answered by the planner, without the workflow. */
export type InstantCommand =
  | QubitScheduleCommand
  | PairScheduleCommand
  | ValuesCommand
  | MaintenanceCommand
  | ChangesCommand
  | ChecksCommand;

const stageStatus = z.enum(['completed', 'failed', 'cancelled', 'skipped']);
export type StageStatus = z.infer<typeof stageStatus>;

/** The task that ended a target's stage, and why. */
const stageFailure = z.object({ target: z.string(), task: z.string(), message: z.string() });
export type StageFailure = z.infer<typeof stageFailure>;

/**
 * Outcome of a stage. `passed` is complete. `failed` is cut if the answer would exceed 8 KB; `truncated` is then true. Built by
 * `stageAnswer`.
 */
export const stageAnswer = z.object({
  kind: z.literal('stage'),
  name: z.string(),
  status: stageStatus,
  counts: taskCounts,
  passed: z.array(z.string()),
  failed: z.array(stageFailure),
  truncated: z.literal(true).optional(),
});
export type StageAnswer = z.infer<typeof stageAnswer>;

const sleepAnswer = z.object({ kind: z.literal('sleep') });

const approvalAnswer = z.object({
  kind: z.literal('approval'),
  answer: z.string(),
  /** Null if there was no answer before the deadline. */
  answered_by: z.string().nullable(),
  expired: z.boolean(),
});
export type ApprovalAnswer = z.infer<typeof approvalAnswer>;

/** A target that is not part of a schedule, and why. */
const exclusion = z.object({ target: z.string(), reason: z.string() });

const qubitScheduleAnswer = z.object({
  kind: z.literal('qubit_schedule'),
  schedule: z.array(z.array(z.array(z.string()))),
  excluded: z.array(exclusion),
  /** Assumptions of the schedule. */
  notes: z.array(z.string()),
});
export type QubitScheduleAnswer = z.infer<typeof qubitScheduleAnswer>;

/** `excluded` contains the first of `excluded_count`. */
const pairScheduleAnswer = z.object({
  kind: z.literal('pair_schedule'),
  schedule: z.array(z.array(z.array(z.string()))),
  direction_method: z.string(),
  excluded: z.array(exclusion),
  excluded_count: z.number().int().nonnegative(),
  notes: z.array(z.string()),
});
export type PairScheduleAnswer = z.infer<typeof pairScheduleAnswer>;

/** Null if the calibration state has no number; `this_run` lists the targets whose value was measured by this run. */
const valuesAnswer = z.object({
  kind: z.literal('values'),
  values: z.record(z.string(), z.number().nullable()),
  this_run: z.array(z.string()),
});
export type ValuesAnswer = z.infer<typeof valuesAnswer>;

/** Whose value a task reads, as its target sees it. */
const dependenceRole = z.enum(['own', 'control', 'target', 'coupling']);

/** What each task depends on, and the tasks of targets that do not hold; all others do. */
const maintenanceAnswer = z.object({
  kind: z.literal('maintenance'),
  tasks: z.array(
    z.object({
      name: z.string(),
      type: z.enum(['qubit', 'coupling']),
      depends_on: z.array(z.object({ task: z.string(), role: dependenceRole })),
      /** Later tasks that find a value which it reads, the finest first. Absent in answers of earlier releases. */
      refined_by: z.array(z.object({ tasks: z.array(z.string()), role: dependenceRole })).optional(),
      has_check: z.boolean(),
      /** Names of the values that it finds. Absent in answers of earlier releases. */
      finds: z.array(z.string()).optional(),
    }),
  ),
  not_holding: z.array(
    z.object({
      task: z.string(),
      target: z.string(),
      reason: z.string(),
      /** Whether it found a value that is stored, so that there is something to check. */
      is_known: z.boolean(),
      /** What its values are, and which of them do not hold. Absent in answers of earlier releases. */
      state: z.enum(valueStates).optional(),
      parameters: z.array(z.string()).optional(),
      /** Until when it is left alone after failures, ms since 1970. */
      retry_at: z.number().nullable(),
    }),
  ),
});
export type MaintenanceAnswer = z.infer<typeof maintenanceAnswer>;

const changesAnswer = z.object({ kind: z.literal('changes'), changed: z.array(z.string()) });
export type ChangesAnswer = z.infer<typeof changesAnswer>;

/** Outcome by target; a target without one was not checked to the end. */
const checksAnswer = z.object({
  kind: z.literal('checks'),
  outcomes: z.record(z.string(), z.enum(checkOutcomes)),
  /** Why a target is not in specification. Absent in answers of earlier releases. */
  reasons: z.record(z.string(), z.string()).optional(),
});
export type ChecksAnswer = z.infer<typeof checksAnswer>;

/** Answers to commands that the workflow does not carry out. */
const instantAnswer = z.discriminatedUnion('kind', [
  qubitScheduleAnswer,
  pairScheduleAnswer,
  valuesAnswer,
  maintenanceAnswer,
  changesAnswer,
  checksAnswer,
]);
export type InstantAnswer = z.infer<typeof instantAnswer>;

const flowAnswer = z.discriminatedUnion('kind', [
  stageAnswer,
  sleepAnswer,
  approvalAnswer,
  qubitScheduleAnswer,
  pairScheduleAnswer,
  valuesAnswer,
  maintenanceAnswer,
  changesAnswer,
  checksAnswer,
]);
export type FlowAnswer = z.infer<typeof flowAnswer>;

/** A message of a flow. `index` numbers log and record entries together over the whole run. */
const flowLogEntry = z.object({
  kind: z.literal('log'),
  index: z.number().int().nonnegative(),
  message: z.string().max(FLOW_LIMITS.messageCharacters),
});

/** A value that a flow recorded under a name. Numbered together with the log entries. */
const flowRecordEntry = z.object({
  kind: z.literal('record'),
  index: z.number().int().nonnegative(),
  name,
  value: jsonValue,
});

/** A decision of `session.maintain` about a task on some targets. `index` numbers the decisions of the whole run. */
const flowDecisionEntry = z.object({
  kind: z.literal('decision'),
  index: z.number().int().nonnegative(),
  /** Number of the call of `session.maintain`, from 0. */
  maintenance: z.number().int().nonnegative(),
  phase: z.enum(maintainPhases),
  task: name,
  targets: z.array(z.string().min(1).max(100)).min(1),
  parameters: z.array(name),
  /** What the values were when the maintenance began. */
  state: z.enum(valueStates),
  decision: z.enum(maintainDecisions),
  reason: z.string().max(FLOW_LIMITS.messageCharacters),
  /** The check that led to the decision; null if none did. */
  check: z
    .object({
      outcome: z.enum(checkOutcomes),
      reason: z.string().max(FLOW_LIMITS.messageCharacters).nullable(),
    })
    .nullable(),
});
export type FlowDecisionEntry = z.infer<typeof flowDecisionEntry>;

export const flowEntry = z.discriminatedUnion('kind', [flowLogEntry, flowRecordEntry, flowDecisionEntry]);
export type FlowEntry = z.infer<typeof flowEntry>;

/**
 * State of a flow after its answers so far: its next command, numbered from 0, or its end. `entries` are those since the previous
 * command. Store them by `index`, because a repeated step returns the same entries again.
 */
const flowAdvance = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('command'),
    index: z.number().int().nonnegative(),
    /** Line of the flow's source with the call, for messages about the command. */
    line: z.number().int().nonnegative(),
    command: flowCommand,
    entries: z.array(flowEntry),
  }),
  z.object({
    kind: z.literal('end'),
    value: jsonValue,
    /** Why the flow ended early; absent if it returned. */
    message: z.string().optional(),
    entries: z.array(flowEntry),
  }),
]);
export type FlowAdvance = z.infer<typeof flowAdvance>;

/** A flow's shipped starting point, as `config/flows/templates.json` lists it. */
export const flowTemplate = z.strictObject({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  category: z.string(),
  filename: z.string(),
  function_name: z.string(),
});
export type FlowTemplate = z.infer<typeof flowTemplate>;
