/** Names and walks of provenance. Pure functions: the caller fetches what a walk needs, level by level. */
import type { ExecutionId, TaskId } from '../../kernel/ids.ts';
import type { Lineage, LineageEdge, ParameterVersion, Recommendations } from './model.ts';

/** Maximum number of nodes in a walk. */
const LINEAGE_NODE_LIMIT = 2000;

/** Stored form of a target: `0` → `Q0`, `0-1` → `Q0-Q1`; `Q00` and `Q0` are the same qubit. */
export function provenanceQid(qid: string): string {
  return qid
    .split('-')
    .map((part) => {
      const number = /^Q?0*(\d+)$/i.exec(part.trim());
      return number ? `Q${number[1]}` : part;
    })
    .join('-');
}

/** Whether every number in a target is a valid qubit number. */
export function isNumberedExactly(qid: string): boolean {
  return (qid.match(/\d+/g) ?? []).every((digits) => Number.isSafeInteger(Number(digits)));
}

/** The target's own name: `Q0-Q1` → `0-1`. */
export function targetOfQid(qid: string): string {
  return qid.replaceAll('Q', '');
}

/** `{parameter_name}:{qid}:{execution_id}:{task_id}`. */
export function entityId(parameter: string, qid: string, executionId: ExecutionId, taskId: TaskId): string {
  return `${parameter}:${provenanceQid(qid)}:${executionId}:${taskId}`;
}

/** One execution measures many targets with one task, so the task id is part of the name. */
export function activityId(taskName: string, executionId: ExecutionId, taskId: TaskId): string {
  return `activity:${taskName}:${executionId}:${taskId}`;
}

export function relationKey(edge: LineageEdge): string {
  return `${edge.relation_type}:${edge.source_id}:${edge.target_id}`;
}

/** A version's edges as stored in it; null for releases that stored them in relations only. */
export function edgesOfVersion(version: {
  entity_id: string;
  previous?: string | null;
  task_name: string;
  execution_id: ExecutionId;
  task_id: TaskId;
}): LineageEdge[] | null {
  const { entity_id: source_id, previous, task_name, execution_id, task_id } = version;
  if (previous === undefined) return null;
  return [
    {
      relation_type: 'wasGeneratedBy',
      source_id,
      target_id: activityId(task_name, execution_id, task_id),
    },
    ...(previous === null
      ? []
      : [{ relation_type: 'wasDerivedFrom' as const, source_id, target_id: previous }]),
  ];
}

/** The versions that an activity used, as stored in it; null for releases that stored them in relations only. */
export function edgesOfActivity(activity: {
  activity_id: string;
  used?: readonly string[];
}): LineageEdge[] | null {
  const { activity_id: source_id, used } = activity;
  return used ? used.map((target_id) => ({ relation_type: 'used' as const, source_id, target_id })) : null;
}

/** A node visited by a walk. */
export interface WalkedNode {
  id: string;
  depth: number;
}

export interface Walk {
  nodes: WalkedNode[];
  edges: LineageEdge[];
  truncated: boolean;
}

/**
 * Walks breadth-first from `origin`: each node once, at its shortest distance, never beyond `maxDepth`, and no edge
 * without both its ends.
 */
export async function walkBreadthFirst(
  origin: string,
  {
    maxDepth,
    edgesFrom,
    towards,
    limit = LINEAGE_NODE_LIMIT,
    edgeLimit = Number.POSITIVE_INFINITY,
  }: {
    maxDepth: number;
    /** Fetches the edges that leave the given nodes in the direction of the walk. */
    edgesFrom(ids: readonly string[]): Promise<readonly LineageEdge[]>;
    /** The end of an edge in the direction of the walk. */
    towards(edge: LineageEdge): string;
    /** Maximum number of nodes in the walk. */
    limit?: number | undefined;
    /** Maximum number of edges per fetch; a fetch that returns this many may have left some out. */
    edgeLimit?: number | undefined;
  },
): Promise<Walk> {
  const depths = new Map<string, number>([[origin, 0]]);
  const edges = new Map<string, LineageEdge>();
  let level = [origin];
  let truncated = false;
  for (let depth = 1; level.length > 0 && depth <= maxDepth + 1; depth += 1) {
    const next: string[] = [];
    const fetched = await edgesFrom(level);
    if (fetched.length >= edgeLimit) truncated = true;
    for (const edge of fetched) {
      const id = towards(edge);
      if (!depths.has(id)) {
        if (depth > maxDepth) continue;
        if (depths.size >= limit) {
          truncated = true;
          continue;
        }
        depths.set(id, depth);
        next.push(id);
      }
      edges.set(relationKey(edge), edge);
    }
    level = next;
  }
  return {
    nodes: [...depths].map(([id, depth]) => ({ id, depth })),
    edges: [...edges.values()],
    truncated,
  };
}

/** Sorts lists of parameters by name, then by qubits as numbers. */
export function byParameterAndTarget(
  a: { parameter_name: string; qid: string },
  b: { parameter_name: string; qid: string },
): number {
  return compareText(a.parameter_name, b.parameter_name) || compareTargets(a.qid, b.qid);
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareTargets(a: string, b: string): number {
  const [left, right] = [a, b].map((qid) => targetOfQid(qid).split('-').map(Number));
  for (let index = 0; index < Math.max(left?.length ?? 0, right?.length ?? 0); index += 1) {
    const difference = (left?.[index] ?? -1) - (right?.[index] ?? -1);
    if (difference !== 0 && !Number.isNaN(difference)) return difference;
  }
  return compareText(a, b);
}

type Value = ParameterVersion['value'];

/**
 * Difference of two values: both fields are null unless both values are numbers, and the percentage is null if the old
 * value is zero. Its sign is that of the step.
 */
export function differenceOf(
  before: Value | null,
  after: Value | null,
): { delta: number | null; delta_percent: number | null } {
  if (typeof before !== 'number' || typeof after !== 'number') return { delta: null, delta_percent: null };
  const delta = after - before;
  return { delta, delta_percent: before === 0 ? null : (delta / Math.abs(before)) * 100 };
}

/** Tasks of an impact graph, nearest first, with the parameters they would renew. */
export function recommendationsFrom(impact: Lineage): Recommendations {
  const { origin, nodes, edges } = impact;
  const entityById = new Map(
    nodes.flatMap(({ node_id, entity }) => (entity ? [[node_id, entity] as const] : [])),
  );
  const tasks = new Map<string, { depth: number; parameters: Set<string>; qids: Set<string> }>();
  const taskOfActivity = new Map<string, string>();
  for (const { node_id, depth, activity } of nodes) {
    if (!activity) continue;
    taskOfActivity.set(node_id, activity.task_name);
    const task = tasks.get(activity.task_name) ?? { depth, parameters: new Set(), qids: new Set() };
    tasks.set(activity.task_name, { ...task, depth: Math.min(task.depth, depth) });
    task.qids.add(activity.qid);
  }
  for (const { relation_type, source_id, target_id } of edges) {
    if (relation_type !== 'wasGeneratedBy') continue;
    const entity = entityById.get(source_id);
    const task = tasks.get(taskOfActivity.get(target_id) ?? '');
    if (entity && task) task.parameters.add(entity.parameter_name);
  }
  const affected = new Set(
    nodes.flatMap(({ node_id, entity }) =>
      entity && node_id !== origin.node_id
        ? [`${entity.chip_id}/${entity.parameter_name}/${entity.qid}`]
        : [],
    ),
  );
  const source = origin.entity;
  return {
    source_entity_id: origin.node_id,
    source_parameter_name: source?.parameter_name ?? '',
    source_qid: source?.qid ?? '',
    recommended_tasks: [...tasks]
      .sort(([a, left], [b, right]) => left.depth - right.depth || compareText(a, b))
      .map(([task_name, { depth, parameters, qids }], index) => ({
        task_name,
        priority: index + 1,
        affected_parameters: [...parameters].sort(compareText),
        affected_qids: [...qids].sort(compareTargets),
        reason: reasonOf(task_name, source, depth),
      })),
    total_affected_parameters: affected.size,
    max_depth_reached: nodes.reduce((deepest, { depth }) => Math.max(deepest, depth), 0),
  };
}

function reasonOf(task: string, source: ParameterVersion | null, depth: number): string {
  const name = source ? `${source.parameter_name} of ${source.qid}` : 'this value';
  return depth === 1
    ? `${task} measured with ${name}.`
    : `${task} measured with values that were made from ${name}, ${depth} steps away.`;
}

/** Direction in which a metric improves. */
export type EvaluationMode = 'maximize' | 'minimize';

/** Consecutive versions of one parameter that became worse. */
export interface Streak {
  /** Number of steps, one less than values. */
  count: number;
  /** Oldest first. */
  values: number[];
}

/** The unbroken run of strictly worse steps that ends with the newest value. @param values newest first */
export function worseningStreak(values: readonly Value[], mode: EvaluationMode): Streak {
  const streak: number[] = [];
  for (const value of values) {
    if (typeof value !== 'number') break;
    const newer = streak.at(-1);
    // Equal values end a streak.
    if (newer !== undefined && (mode === 'maximize' ? newer >= value : newer <= value)) break;
    streak.push(value);
  }
  return { count: Math.max(0, streak.length - 1), values: streak.reverse() };
}
