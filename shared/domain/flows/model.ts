import { z } from 'zod';
import { hasControlCharacters } from '../../kernel/text.ts';
import { taskCounts } from '../results/model.ts';
import { FLOW_LIMITS } from './rules.ts';

/** A name that a flow gives: what engine, store and people can all bear. */
const name = z
  .string()
  .min(1)
  .max(100)
  .refine((text) => !hasControlCharacters(text), 'a name has no control characters');

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** Any JSON value: what a flow may receive as a parameter, record or return. Named, so that it can name itself. */
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
});
export type StageTask = z.infer<typeof stageTask>;

/** Steps one after another; a step's lanes in parallel; a lane's targets one after another. */
const stageSchedule = z.array(z.array(z.array(z.string().min(1)).min(1)).min(1)).min(1);
export type StageSchedule = z.infer<typeof stageSchedule>;

/**
 * Run these tasks, in this order, on each of these targets; at most `parallel` targets at a time. Without a
 * schedule every target is a lane of its own, all in one step; a schedule names every target exactly once.
 */
export const stageCommand = z.strictObject({
  kind: z.literal('stage'),
  name,
  tasks: z.array(stageTask).min(1),
  targets: z.array(z.string().min(1)).min(1),
  parallel: z.number().int().positive().optional(),
  schedule: stageSchedule.optional(),
  /** For every task of the stage that has such a run parameter. */
  run_parameters: runParameterValues.optional(),
  /** Added to the values that calibration state has of these inputs, in their units. */
  input_offsets: z.record(z.string(), z.number()).optional(),
});
export type StageCommand = z.infer<typeof stageCommand>;

const sleepCommand = z.strictObject({
  kind: z.literal('sleep'),
  seconds: z.number().nonnegative().max(FLOW_LIMITS.sleepSeconds),
});

/** Ask people; after `deadline_seconds` the answer is `default`. */
const approvalCommand = z.strictObject({
  kind: z.literal('approval'),
  question: z.string().min(1).max(FLOW_LIMITS.messageCharacters),
  options: z.array(name).min(1).max(20),
  deadline_seconds: z.number().positive().max(FLOW_LIMITS.sleepSeconds),
  default: name,
});
export type ApprovalCommand = z.infer<typeof approvalCommand>;

/** Asks in which order qubits are measured. */
const qubitScheduleCommand = z.strictObject({
  kind: z.literal('qubit_schedule'),
  qids: z.array(z.string().min(1)).min(1),
  mode: z.enum(['scheduled', 'synchronized', 'serial', 'simultaneous']),
  batches: z.enum(['all', 'local_index']).optional(),
  ordering: z.enum(['natural', 'checkerboard', 'parity']).optional(),
});
export type QubitScheduleCommand = z.infer<typeof qubitScheduleCommand>;

/** Asks which pairs of these qubits can be calibrated together. */
const pairScheduleCommand = z.strictObject({
  kind: z.literal('pair_schedule'),
  candidates: z.array(z.string().min(1)),
  max_parallel_ops: z.number().int().positive(),
  inverse: z.boolean(),
  strategy: z.enum(['intra_first', 'intra_then_inter']).optional(),
  spectators: z.boolean().optional(),
});
export type PairScheduleCommand = z.infer<typeof pairScheduleCommand>;

/** What calibration state holds of one parameter. */
const valuesCommand = z.strictObject({
  kind: z.literal('values'),
  parameter: name,
  targets: z.array(z.string().min(1)).min(1),
});
export type ValuesCommand = z.infer<typeof valuesCommand>;

/** What a flow asks for: the workflow carries out stages, waits and approvals; the rest is answered at once. */
export const flowCommand = z.discriminatedUnion('kind', [
  stageCommand,
  sleepCommand,
  approvalCommand,
  qubitScheduleCommand,
  pairScheduleCommand,
  valuesCommand,
]);
export type FlowCommand = z.infer<typeof flowCommand>;

/** Commands that are answered where the flow is planned, without the workflow. */
export type InstantCommand = QubitScheduleCommand | PairScheduleCommand | ValuesCommand;

const stageStatus = z.enum(['completed', 'failed', 'cancelled', 'skipped']);
export type StageStatus = z.infer<typeof stageStatus>;

/** The task that ended a target's stage, and why. */
const stageFailure = z.object({ target: z.string(), task: z.string(), message: z.string() });
export type StageFailure = z.infer<typeof stageFailure>;

/**
 * How a stage went. `passed` is complete; `failed` is cut where the answer would grow over 8 KB, which
 * `truncated` tells. Built by `stageAnswer`.
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
  /** Null when nobody answered in time. */
  answered_by: z.string().nullable(),
  expired: z.boolean(),
});
export type ApprovalAnswer = z.infer<typeof approvalAnswer>;

/** A target that was left out of a schedule, and why. */
const exclusion = z.object({ target: z.string(), reason: z.string() });

const qubitScheduleAnswer = z.object({
  kind: z.literal('qubit_schedule'),
  schedule: z.array(z.array(z.array(z.string()))),
  excluded: z.array(exclusion),
  /** What the schedule assumes. */
  notes: z.array(z.string()),
});
export type QubitScheduleAnswer = z.infer<typeof qubitScheduleAnswer>;

/** `excluded` holds the first of `excluded_count`. */
const pairScheduleAnswer = z.object({
  kind: z.literal('pair_schedule'),
  schedule: z.array(z.array(z.array(z.string()))),
  direction_method: z.string(),
  excluded: z.array(exclusion),
  excluded_count: z.number().int().nonnegative(),
  notes: z.array(z.string()),
});
export type PairScheduleAnswer = z.infer<typeof pairScheduleAnswer>;

/** Null where calibration state holds no number; `this_run`: the targets whose value this run has found. */
const valuesAnswer = z.object({
  kind: z.literal('values'),
  values: z.record(z.string(), z.number().nullable()),
  this_run: z.array(z.string()),
});
export type ValuesAnswer = z.infer<typeof valuesAnswer>;

/** Answers of commands that the workflow does not carry out. */
const instantAnswer = z.discriminatedUnion('kind', [qubitScheduleAnswer, pairScheduleAnswer, valuesAnswer]);
export type InstantAnswer = z.infer<typeof instantAnswer>;

const flowAnswer = z.discriminatedUnion('kind', [
  stageAnswer,
  sleepAnswer,
  approvalAnswer,
  qubitScheduleAnswer,
  pairScheduleAnswer,
  valuesAnswer,
]);
export type FlowAnswer = z.infer<typeof flowAnswer>;

/** A message of a flow. `index` counts log and record entries together over the life of the run. */
const flowLogEntry = z.object({
  kind: z.literal('log'),
  index: z.number().int().nonnegative(),
  message: z.string().max(FLOW_LIMITS.messageCharacters),
});

/** A value that a flow kept under a name. Numbered together with the log entries. */
const flowRecordEntry = z.object({
  kind: z.literal('record'),
  index: z.number().int().nonnegative(),
  name,
  value: jsonValue,
});

export const flowEntry = z.discriminatedUnion('kind', [flowLogEntry, flowRecordEntry]);
export type FlowEntry = z.infer<typeof flowEntry>;

/**
 * Where a flow stands after its answers so far: the next command, numbered from 0, or its end.
 * `entries` are those since the previous command; who stores them keys them by `index`, because a step that
 * is repeated brings the same entries again.
 */
const flowAdvance = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('command'),
    index: z.number().int().nonnegative(),
    /** The flow's line that asked, for messages about the command. */
    line: z.number().int().nonnegative(),
    command: flowCommand,
    entries: z.array(flowEntry),
  }),
  z.object({
    kind: z.literal('end'),
    value: jsonValue,
    /** Why the flow ended where it did; it returned when absent. */
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
