import { z } from 'zod';
import { FLOW_LIMITS } from './limits.ts';

/** Any JSON value: what a flow may receive as a parameter, record or return. */
export const jsonValue = z.json();
export type JsonValue = z.infer<typeof jsonValue>;

export const runParameterValue = z.union([
  z.number(),
  z.string(),
  z.boolean(),
  z.array(z.union([z.number(), z.string()])),
]);
export type RunParameterValue = z.infer<typeof runParameterValue>;

/** One task of a stage, with the run parameters that differ from the catalog's. */
export const stageTask = z.strictObject({
  name: z.string().min(1).max(100),
  run_parameters: z.record(z.string(), z.strictObject({ value: runParameterValue })).optional(),
});
export type StageTask = z.infer<typeof stageTask>;

/** Run these tasks, in this order, on each of these targets; at most `parallel` targets at a time. */
export const stageCommand = z.strictObject({
  kind: z.literal('stage'),
  name: z.string().min(1).max(100),
  tasks: z.array(stageTask).min(1),
  targets: z.array(z.string().min(1)).min(1),
  parallel: z.number().int().positive().optional(),
});
export type StageCommand = z.infer<typeof stageCommand>;

export const sleepCommand = z.strictObject({
  kind: z.literal('sleep'),
  seconds: z.number().nonnegative().max(FLOW_LIMITS.sleepSeconds),
});
export type SleepCommand = z.infer<typeof sleepCommand>;

/** What a flow asks the workflow to do. An approval will be one more member. */
export const flowCommand = z.discriminatedUnion('kind', [stageCommand, sleepCommand]);
export type FlowCommand = z.infer<typeof flowCommand>;

export const stageStatus = z.enum(['completed', 'failed', 'cancelled', 'skipped']);
export type StageStatus = z.infer<typeof stageStatus>;

/** Tasks of a stage by their end state. */
export const stageCounts = z.object({
  completed: z.number().int().nonnegative(),
  failed: z.number().int().nonnegative(),
  skipped: z.number().int().nonnegative(),
  cancelled: z.number().int().nonnegative(),
  total: z.number().int().nonnegative(),
});
export type StageCounts = z.infer<typeof stageCounts>;

/** The task that ended a target's stage, and why. */
export const stageFailure = z.object({ target: z.string(), task: z.string(), message: z.string() });
export type StageFailure = z.infer<typeof stageFailure>;

/**
 * How a stage went. `passed` is complete; `failed` is cut where the answer would grow over 8 KB, which
 * `truncated` tells. Built by `stageAnswer`.
 */
export const stageAnswer = z.object({
  kind: z.literal('stage'),
  name: z.string(),
  status: stageStatus,
  counts: stageCounts,
  passed: z.array(z.string()),
  failed: z.array(stageFailure),
  truncated: z.literal(true).optional(),
});
export type StageAnswer = z.infer<typeof stageAnswer>;

export const sleepAnswer = z.object({ kind: z.literal('sleep') });
export type SleepAnswer = z.infer<typeof sleepAnswer>;

export const flowAnswer = z.discriminatedUnion('kind', [stageAnswer, sleepAnswer]);
export type FlowAnswer = z.infer<typeof flowAnswer>;

/** A message of a flow. `index` counts log and record entries together over the life of the run. */
export const flowLogEntry = z.object({
  kind: z.literal('log'),
  index: z.number().int().nonnegative(),
  message: z.string().max(FLOW_LIMITS.messageCharacters),
});
export type FlowLogEntry = z.infer<typeof flowLogEntry>;

/** A value that a flow kept under a name. Numbered together with the log entries. */
export const flowRecordEntry = z.object({
  kind: z.literal('record'),
  index: z.number().int().nonnegative(),
  name: z.string().min(1).max(100),
  value: jsonValue,
});
export type FlowRecordEntry = z.infer<typeof flowRecordEntry>;

export const flowEntry = z.discriminatedUnion('kind', [flowLogEntry, flowRecordEntry]);
export type FlowEntry = z.infer<typeof flowEntry>;

/**
 * Where a flow stands after its answers so far: the next command, numbered from 0, or its end.
 * `entries` are those since the previous command; who stores them keys them by `index`, because a step that
 * is repeated brings the same entries again.
 */
export const flowAdvance = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('command'),
    index: z.number().int().nonnegative(),
    /** The flow's line that asked, for messages about the command. */
    line: z.number().int().nonnegative(),
    command: flowCommand,
    entries: z.array(flowEntry),
  }),
  z.object({ kind: z.literal('end'), value: jsonValue, entries: z.array(flowEntry) }),
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
