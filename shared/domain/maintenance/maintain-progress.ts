/** The nodes of one maintenance, what is decided about each, and how they depend on each other. */
import type { MaintainDecisionKind, MaintainNode } from './maintain-model.ts';

/** What is decided about a node. */
export interface Progress {
  node: MaintainNode;
  /** `diagnose`: waits for the checks of what it depends on. */
  status: MaintainDecisionKind;
  reason: string;
  /** Checked or calibrated in this maintenance, and nothing that it reads changed since. */
  verified: boolean;
  /** Something that it depends on was repaired during its diagnosis. */
  upstreamRepaired: boolean;
  /** A calibration failed before the diagnosis, so no check is worth while. */
  calibrationFailed: boolean;
  calibrations: number;
  /** `waiting`: its diagnosis waits for the tasks that refined what it reads; `changed`: one of them found another value. */
  refinements: 'unknown' | 'waiting' | 'changed' | 'known';
}

export interface ProgressGraph {
  /** All nodes, each after those that it depends on. */
  all(): IterableIterator<Progress>;
  get(id: string): Progress | undefined;
  dependencesOf(progress: Progress): Progress[];
  refinementsOf(progress: Progress): Progress[];
  /** The nodes that depend directly on a node. */
  dependantsOf(progress: Progress): readonly Progress[];
  /** The nodes that depend on a node, directly or through others. */
  allDependants(progress: Progress): Set<Progress>;
}

/** @param nodes without a cycle; dependences on other nodes are ignored */
export function createProgressGraph(nodes: readonly MaintainNode[]): ProgressGraph {
  const all = new Map<string, Progress>();
  const dependants = new Map<string, Progress[]>();
  for (const node of inOrder(nodes)) {
    const progress: Progress = {
      node,
      status: 'holds',
      reason: node.reason,
      verified: false,
      upstreamRepaired: false,
      calibrationFailed: false,
      calibrations: 0,
      refinements: 'unknown',
    };
    all.set(node.id, progress);
    for (const id of node.dependsOn) dependants.set(id, [...(dependants.get(id) ?? []), progress]);
  }

  const known = (ids: readonly string[]) => ids.flatMap((id) => all.get(id) ?? []);
  const dependantsOf = ({ node }: Progress) => dependants.get(node.id) ?? [];

  function allDependants(progress: Progress, found = new Set<Progress>()): Set<Progress> {
    for (const each of dependantsOf(progress)) {
      if (found.has(each)) continue;
      found.add(each);
      allDependants(each, found);
    }
    return found;
  }

  return {
    all: () => all.values(),
    get: (id) => all.get(id),
    dependencesOf: ({ node }) => known(node.dependsOn),
    refinementsOf: ({ node }) => known(node.refinedBy),
    dependantsOf,
    allDependants: (progress) => allDependants(progress),
  };
}

/** Whether nothing more is measured for a node unless another node asks for it. */
export function isLeftAlone({ status }: Progress): boolean {
  return status === 'not_repaired' || status === 'postponed' || status === 'diagnose';
}

/** Whether its diagnosis waits for the tasks that refined what it reads. */
export function isWaiting({ status, refinements }: Progress): boolean {
  return status === 'diagnose' && (refinements === 'waiting' || refinements === 'changed');
}

/** Whether a decision about it is final as things are now. */
export function isSettled({ status }: Progress): boolean {
  return status === 'holds' || status === 'not_repaired' || status === 'postponed';
}

/** Nodes after all that they depend on, otherwise in their order. */
function inOrder(nodes: readonly MaintainNode[]): MaintainNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const done = new Map<string, MaintainNode>();
  const visit = (node: MaintainNode) => {
    if (done.has(node.id) || !byId.delete(node.id)) return;
    for (const id of node.dependsOn) {
      const before = byId.get(id);
      if (before) visit(before);
    }
    done.set(node.id, node);
  };
  for (const node of nodes) visit(node);
  return [...done.values()];
}
