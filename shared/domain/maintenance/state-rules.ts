/** Whether calibration values still hold, judged from what is stored, without a measurement. */
import type { TaskId } from '../../kernel/ids.ts';
import type { CheckOutcome } from '../../tasks/check-model.ts';
import { couplingEnds } from '../../tasks/coupling-roles.ts';
import { type EarlierValue, type FoundValue, separation } from '../../tasks/drift.ts';
import type { TaskDefinition, TaskOutput } from '../../tasks/model.ts';
import type { TargetKind } from '../chips/model.ts';
import type { GraphTask, MaintenanceGraph, ReadNode, ValueNode } from './graph-rules.ts';
import { valueKey } from './order-rules.ts';
import { type Window, type WindowSettings, windowOf } from './window-rules.ts';

export const valueStates = ['fresh', 'due', 'stale', 'broken', 'unknown'] as const;
export type ValueStateName = (typeof valueStates)[number];

/** One version of a value, as it was measured or entered. */
export interface ValueVersion {
  value: number | string;
  error: number | null;
  unit: string;
  at: Date;
  task: string;
  taskId: TaskId;
}

/** A task that failed on a target. */
export interface FailedTask {
  task: string;
  at: Date;
  message: string;
}

/** What is stored of some targets, by id. Qubits of the couplings among them must be included. */
export interface KnownTargets {
  /** Versions of each parameter, newest first. */
  versions: ReadonlyMap<string, ReadonlyMap<string, readonly ValueVersion[]>>;
  /** In any order. */
  failures: ReadonlyMap<string, readonly FailedTask[]>;
  /** Checks, in any order. */
  checks?: ReadonlyMap<string, readonly EndedCheck[]>;
}

/** A check of a task on a target, which writes no value. */
export interface EndedCheck {
  task: string;
  at: Date;
  outcome: CheckOutcome;
  reason: string;
  /** What it found, by parameter. */
  found?: Readonly<Record<string, FoundValue>>;
}

/** A value of a target. */
export interface ValuePlace {
  kind: TargetKind;
  qid: string;
  parameter: string;
}

/** Whether a value holds. */
export interface Judgement {
  state: ValueStateName;
  /** A message for users. */
  reason: string;
  /** Since when; null for a value that was never known. */
  since: Date | null;
  /** The value that this one depends on and that is the cause, if there is one. */
  cause: ValuePlace | null;
}

/** A value with its state. */
export interface JudgedValue extends ValuePlace, Judgement {
  current: ValueVersion | null;
  /** 0 for a value that was entered. */
  refinement: number;
  /** Null unless a task found the value. */
  window: Window | null;
  dueAt: Date | null;
}

interface Context {
  graph: GraphIndex;
  known: KnownTargets;
  settings: WindowSettings;
  now: Date;
}

/** The graph with its tasks and values by name. */
export interface GraphIndex {
  /** By task name, with the place in the order of calibration. */
  tasks: ReadonlyMap<string, { entry: GraphTask<TaskDefinition>; place: number }>;
  nodes: MaintenanceGraph['nodes'];
  /** All refinements of each value by `valueKey`. */
  values: ReadonlyMap<string, readonly ValueNode[]>;
}

export function indexed({ tasks, nodes }: MaintenanceGraph): GraphIndex {
  const values = new Map<string, ValueNode[]>();
  for (const node of nodes.values()) {
    const key = valueKey(node.kind, node.parameter);
    values.set(key, [...(values.get(key) ?? []), node]);
  }
  return {
    tasks: new Map(tasks.map((entry, place) => [entry.task.name, { entry, place }])),
    nodes,
    values,
  };
}

/** Task name of values that a user entered in place of measured ones. */
const EDIT = 'ManualParameterEdit';
export const MS_PER_HOUR = 3_600_000;

/** Judges values; each is judged once, however many depend on it. */
export function createJudge(context: Context): (place: ValuePlace) => JudgedValue {
  const judged = new Map<string, JudgedValue>();
  const judge = (place: ValuePlace): JudgedValue => {
    const key = `${place.kind}/${place.qid}/${place.parameter}`;
    const before = judged.get(key);
    if (before) return before;
    const made = judgedValue(place, context, judge);
    judged.set(key, made);
    return made;
  };
  return judge;
}

type Judge = ReturnType<typeof createJudge>;

function judgedValue(place: ValuePlace, context: Context, judge: Judge): JudgedValue {
  const { graph, settings, now } = context;
  const versions = versionsOf(place, context);
  const [current] = versions;
  const none = { refinement: 0, window: null, dueAt: null, cause: null };
  if (current === undefined) {
    return { ...place, ...none, current: null, state: 'unknown', reason: 'Never measured.', since: null };
  }
  const nodes = graph.values.get(valueKey(place.kind, place.parameter)) ?? [];
  const node = nodes.find(({ task }) => task === current.task);
  const producer = node && graph.tasks.get(current.task);
  const output = producer?.entry.task.outputs[place.parameter];
  if (!node || !producer || !output) {
    return { ...place, ...none, current, ...enteredValue(current, nodes) };
  }
  const window = windowOf(
    { task: current.task, parameter: place.parameter, output },
    earlierValues(place, { versions, current, context }),
    settings,
  );
  const checks = checksOf(place, current, context);
  const passed = checks.find(({ outcome }) => outcome === 'in_specification');
  // What a check has confirmed is as good as found then.
  const confirmed = passed ? { ...current, at: passed.at } : current;
  const dueAt = new Date(confirmed.at.getTime() + window.hours * MS_PER_HOUR);
  const judgement =
    brokenBy(place, confirmed, { nodes, context }) ??
    refutedBy(checks, confirmed) ??
    staleBy(place, confirmed, { producer, context, judge }) ??
    agedValue(confirmed, dueAt, now, passed !== undefined);
  return { ...place, current, refinement: node.refinement, window, dueAt, ...judgement };
}

function versionsOf(place: ValuePlace, { known }: Context): readonly ValueVersion[] {
  return versionsIn(place, known);
}

function versionsIn({ qid, parameter }: ValuePlace, { versions }: KnownTargets): readonly ValueVersion[] {
  return versions.get(qid)?.get(parameter) ?? [];
}

/** Measurements by the same task as the current one and what its checks found, newest first. */
function earlierValues(
  { qid, parameter }: ValuePlace,
  {
    versions,
    current: { task },
    context: { known, now },
  }: { versions: readonly ValueVersion[]; current: ValueVersion; context: Context },
): EarlierValue[] {
  const hoursSince = (at: Date) => (now.getTime() - at.getTime()) / MS_PER_HOUR;
  const measured = versions.flatMap(({ task: by, value, error, at }) =>
    by === task && typeof value === 'number' ? [{ value, error, hours: hoursSince(at) }] : [],
  );
  const seen = (known.checks?.get(qid) ?? []).flatMap(({ task: by, at, outcome, found }) => {
    const value = by === task && outcome !== 'bad_data' ? found?.[parameter] : undefined;
    return value ? [{ ...value, hours: hoursSince(at) }] : [];
  });
  return [...measured, ...seen].sort((a, b) => a.hours - b.hours);
}

/** A value that no task of the graph found. */
function enteredValue(current: ValueVersion, nodes: readonly ValueNode[]): Judgement {
  const since = current.at;
  if (nodes.every(({ task }) => task === null)) {
    return { state: 'fresh', reason: 'Entered; no task measures it.', since, cause: null };
  }
  return current.task === EDIT
    ? { state: 'stale', reason: 'Edited by hand and not measured since.', since, cause: null }
    : { state: 'unknown', reason: `Entered (${current.task}) and not measured since.`, since, cause: null };
}

/** The first failure, after the current value was found, of a task that finds it. */
function brokenBy(
  { qid }: ValuePlace,
  current: ValueVersion,
  { nodes, context }: { nodes: readonly ValueNode[]; context: Context },
): Judgement | null {
  const [first, ...more] = (context.known.failures.get(qid) ?? [])
    .filter(({ task, at }) => at > current.at && nodes.some((node) => node.task === task))
    .sort((a, b) => a.at.getTime() - b.at.getTime());
  if (!first) return null;
  const last = more.at(-1) ?? first;
  return {
    state: 'broken',
    reason: `${last.task} failed after it was found: ${last.message || 'no message.'}`,
    since: first.at,
    cause: null,
  };
}

/** Checks of a value since it was found, newest first. */
function checksOf({ qid }: ValuePlace, current: ValueVersion, { known }: Context): EndedCheck[] {
  return (known.checks?.get(qid) ?? [])
    .filter(({ task, at }) => task === current.task && at > current.at)
    .sort((a, b) => b.at.getTime() - a.at.getTime());
}

/** The newest check, if it found the value out of specification since it was last confirmed. */
function refutedBy([newest]: readonly EndedCheck[], { task, at }: ValueVersion): Judgement | null {
  if (newest?.outcome !== 'out_of_specification' || newest.at <= at) return null;
  const reason = `The check of ${task} found it out of specification: ${newest.reason}`;
  return { state: 'broken', reason, since: newest.at, cause: null };
}

function agedValue(current: ValueVersion, dueAt: Date, now: Date, isConfirmed: boolean): Judgement {
  return dueAt < now
    ? { state: 'due', reason: 'Its window has passed.', since: dueAt, cause: null }
    : {
        state: 'fresh',
        reason: `${isConfirmed ? 'Confirmed by a check of' : 'Found by'} ${current.task} within its window.`,
        since: current.at,
        cause: null,
      };
}

/** Who has the value that a task reads. */
function placeRead({ qid }: ValuePlace, { node, role }: ReadNode, { nodes }: GraphIndex): ValuePlace | null {
  const value = nodes.get(node);
  const ends = role === 'control' || role === 'target' ? couplingEnds(qid) : null;
  const owner = role === 'control' ? ends?.control : role === 'target' ? ends?.target : qid;
  return value && owner !== undefined ? { kind: value.kind, qid: owner, parameter: value.parameter } : null;
}

/** The first value read by the task that found this one, in the order of its inputs, that no longer is what it was. */
function staleBy(
  place: ValuePlace,
  current: ValueVersion,
  {
    producer,
    context,
    judge,
  }: { producer: { entry: GraphTask<TaskDefinition>; place: number }; context: Context; judge: Judge },
): Judgement | null {
  for (const read of producer.entry.reads) {
    const cause = placeRead(place, read, context.graph);
    if (!cause) continue;
    const since = changedSince(cause, current, context);
    if (since) {
      const reason = `It depends on ${cause.parameter} of ${cause.qid}, which changed by more than its error since.`;
      return { state: 'stale', reason, since, cause };
    }
    if (!isFoundBefore(cause, producer.place, context)) continue;
    const { state, since: then } = judge(cause);
    if ((state === 'stale' || state === 'broken') && then && then > current.at) {
      const reason = `It depends on ${cause.parameter} of ${cause.qid}, which is ${state}.`;
      return { state: 'stale', reason, since: then, cause };
    }
  }
  return null;
}

/**
 * Whether the current version of a value comes from before a place in the order of calibration. A finer one was not read there,
 * and its state says nothing about what was; every chain of causes is therefore finite.
 */
function isFoundBefore(place: ValuePlace, limit: number, context: Context): boolean {
  const [current] = versionsOf(place, context);
  const found = current && context.graph.tasks.get(current.task);
  return !found || found.place < limit;
}

/** Whether a value's newest version differs from the one before by more than their errors; true if there was none before. */
export function hasChanged(
  place: ValuePlace,
  context: Pick<Context, 'graph' | 'known' | 'settings'>,
): boolean {
  const [newest, before] = versionsIn(place, context.known);
  return newest !== undefined && (before === undefined || isApart(before, newest, { cause: place, context }));
}

/** When a value changed by more than its error since another one was found with it; null if it did not. */
function changedSince(cause: ValuePlace, found: ValueVersion, context: Context): Date | null {
  const versions = versionsOf(cause, context);
  const later = versions.filter(({ at, taskId }) => at > found.at && taskId !== found.taskId).reverse();
  const newest = later.at(-1);
  if (!newest) return null;
  const used = versions.find(({ at, taskId }) => at <= found.at && taskId !== found.taskId);
  const refinement = (version: ValueVersion) => refinementOf(cause, version, context.graph);
  // A finer measurement that follows a coarser one refines the value; only one at least as fine shows whether it changed.
  const comparable = (used ? [used, ...later] : later).filter(
    (version) => refinement(version) >= refinement(newest),
  );
  const [reference] = comparable;
  if (!reference || !isApart(reference, newest, { cause, context })) return null;
  return comparable.find((version) => isApart(reference, version, { cause, context }))?.at ?? newest.at;
}

function refinementOf(
  { kind, parameter }: ValuePlace,
  { task }: ValueVersion,
  { values }: GraphIndex,
): number {
  const nodes = values.get(valueKey(kind, parameter)) ?? [];
  return nodes.find((node) => node.task === task)?.refinement ?? 0;
}

function outputOf(
  { parameter }: ValuePlace,
  { task }: ValueVersion,
  graph: GraphIndex,
): TaskOutput | undefined {
  return graph.tasks.get(task)?.entry.task.outputs[parameter];
}

function isApart(
  one: ValueVersion,
  other: ValueVersion,
  {
    cause,
    context: { graph, settings },
  }: { cause: ValuePlace; context: Pick<Context, 'graph' | 'settings'> },
): boolean {
  if (typeof one.value !== 'number' || typeof other.value !== 'number') return one.value !== other.value;
  const wander = outputOf(cause, other, graph)?.wander;
  const { apart, error } = separation(
    { value: one.value, error: one.error },
    { value: other.value, error: other.error },
    wander?.of ?? 'unit',
  );
  return apart > settings.significance * Math.hypot(error, wander?.atOnce ?? 0);
}
