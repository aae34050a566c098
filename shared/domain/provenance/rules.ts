/** Names and walks of provenance. Pure: what a walk needs is fetched by the caller, level by level. */
import type { LineageEdge } from './model.ts';

/** Nodes at which a walk is cut. */
const LINEAGE_NODE_LIMIT = 2000;

/** Stored form of a target: `0` → `Q0`, `0-1` → `Q0-Q1`; `Q00` and `Q0` are the same qubit. */
export function provenanceQid(qid: string): string {
  return qid
    .split('-')
    .map((part) => {
      const number = /^Q?(\d+)$/i.exec(part.trim());
      return number ? `Q${Number(number[1])}` : part;
    })
    .join('-');
}

/** `{parameter_name}:{qid}:{execution_id}:{task_id}`. */
export function entityId(parameter: string, qid: string, executionId: string, taskId: string): string {
  return `${parameter}:${provenanceQid(qid)}:${executionId}:${taskId}`;
}

/** One execution measures many targets with one task, so the task id belongs to the name. */
export function activityId(taskName: string, executionId: string, taskId: string): string {
  return `activity:${taskName}:${executionId}:${taskId}`;
}

export function relationKey(edge: LineageEdge): string {
  return `${edge.relation_type}:${edge.source_id}:${edge.target_id}`;
}

/** A node met on a walk. */
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
 * Breadth-first from `origin`: each node once, at its shortest distance, never beyond `maxDepth`,
 * and no edge without both its ends.
 */
export async function walkBreadthFirst(
  origin: string,
  {
    maxDepth,
    edgesFrom,
    towards,
    limit = LINEAGE_NODE_LIMIT,
  }: {
    maxDepth: number;
    /** Fetches the edges that leave the given nodes in the direction of the walk. */
    edgesFrom(ids: readonly string[]): Promise<readonly LineageEdge[]>;
    /** The end of an edge that the walk goes to. */
    towards(edge: LineageEdge): string;
    /** Nodes at which the walk is cut. */
    limit?: number | undefined;
  },
): Promise<Walk> {
  const depths = new Map<string, number>([[origin, 0]]);
  const edges = new Map<string, LineageEdge>();
  let level = [origin];
  let truncated = false;
  for (let depth = 1; level.length > 0 && depth <= maxDepth + 1; depth += 1) {
    const next: string[] = [];
    for (const edge of await edgesFrom(level)) {
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
    level = next.length > 0 ? next : [];
  }
  return {
    nodes: [...depths].map(([id, depth]) => ({ id, depth })),
    edges: [...edges.values()],
    truncated,
  };
}
