/**
 * The graph of what depends on what. Several tasks find the same value, each finer than the one before, and most of them read
 * the value that they refine. So a node is a value at one refinement: refinement 0 is the value as it was entered, refinement n what the n-th
 * task in the order of calibration finds. A task reads the last refinement before its own place, therefore no cycle is possible.
 */
import type { TaskDefinition } from '../../tasks/model.ts';
import type { TargetKind } from '../chips/model.ts';
import {
  type DependenceRole,
  inOrderOfCalibration,
  kindWritten,
  type OrderedTask,
  readsOf,
  valueKey,
} from './order-rules.ts';

/** A value at one refinement. */
export interface ValueNode {
  /** `qubit/qubit_frequency#2` */
  id: string;
  kind: TargetKind;
  parameter: string;
  refinement: number;
  /** The task that finds it; null for a value as it was entered. */
  task: string | null;
  unit: string;
}

/** One node is read to find another. */
export interface Dependence {
  from: string;
  to: string;
  /** Whose value is read, as the reading task's target sees it. */
  role: DependenceRole;
}

/** A value that a task reads. */
export interface ReadNode {
  node: string;
  role: DependenceRole;
}

/** A task in the graph; one without outputs only checks what it reads. */
export interface GraphTask<Task extends OrderedTask = TaskDefinition> {
  task: Task;
  reads: ReadNode[];
  writes: string[];
  /** Names of the tasks whose values it reads. */
  dependsOn: string[];
  /** Longest chain of tasks that must come before it. */
  depth: number;
}

export interface MaintenanceGraph<Task extends OrderedTask = TaskDefinition> {
  nodes: ReadonlyMap<string, ValueNode>;
  edges: readonly Dependence[];
  /** In the order of calibration. */
  tasks: readonly GraphTask<Task>[];
}

/** The graph of a catalog, which may contain tasks that a laboratory declares. */
export function maintenanceGraph<Task extends OrderedTask>(catalog: readonly Task[]): MaintenanceGraph<Task> {
  const nodes = new Map<string, ValueNode>();
  /** The finest refinement so far of each value. */
  const finest = new Map<string, ValueNode>();
  const tasks: GraphTask<Task>[] = [];

  function add(node: Omit<ValueNode, 'id'>): ValueNode {
    const key = valueKey(node.kind, node.parameter);
    const added = { ...node, id: `${key}#${node.refinement}` };
    nodes.set(added.id, added);
    finest.set(key, added);
    return added;
  }

  for (const task of inOrderOfCalibration(catalog)) {
    const read = readsOf(task).map(({ kind, parameter, role }): ReadNode => {
      const known = finest.get(valueKey(kind, parameter));
      const unit = unitOfInput(task, parameter);
      return { node: (known ?? add({ kind, parameter, refinement: 0, task: null, unit })).id, role };
    });
    const reads = [...new Map(read.map((each) => [`${each.node} ${each.role}`, each])).values()];
    const kind = kindWritten(task);
    const writes = Object.entries(task.outputs).map(([parameter, { unit }]) => {
      const before = finest.get(valueKey(kind, parameter));
      return add({ kind, parameter, refinement: (before?.refinement ?? 0) + 1, task: task.name, unit }).id;
    });
    const producers = reads.flatMap(({ node }) => nodes.get(node)?.task ?? []);
    const dependsOn = [...new Set(producers)];
    const depths = tasks.filter((each) => dependsOn.includes(each.task.name)).map(({ depth }) => depth);
    tasks.push({ task, reads, writes, dependsOn, depth: depths.length === 0 ? 0 : 1 + Math.max(...depths) });
  }

  const edges = tasks.flatMap(({ reads, writes }) =>
    writes.flatMap((to) => reads.map(({ node, role }): Dependence => ({ from: node, to, role }))),
  );
  return { nodes, edges, tasks };
}

function unitOfInput({ inputs }: OrderedTask, parameter: string): string {
  const found = Object.entries(inputs).find(([name]) => name === parameter || name.endsWith(`_${parameter}`));
  return found?.[1].unit ?? '';
}

/** The nodes on or behind a cycle; empty for every graph that {@link maintenanceGraph} makes. */
export function cyclesOf(edges: readonly Pick<Dependence, 'from' | 'to'>[]): string[] {
  const incoming = new Map<string, number>();
  const following = new Map<string, string[]>();
  for (const { from, to } of edges) {
    incoming.set(from, incoming.get(from) ?? 0);
    incoming.set(to, (incoming.get(to) ?? 0) + 1);
    following.set(from, [...(following.get(from) ?? []), to]);
  }
  const free = [...incoming].filter(([, count]) => count === 0).map(([node]) => node);
  for (let node = free.pop(); node !== undefined; node = free.pop()) {
    incoming.delete(node);
    for (const next of following.get(node) ?? []) {
      const left = (incoming.get(next) ?? 0) - 1;
      incoming.set(next, left);
      if (left === 0) free.push(next);
    }
  }
  return [...incoming.keys()];
}

/** The refinement of the value that a task finds; null if the graph does not contain the task with this output. */
export function refinementOf(
  { tasks, nodes }: Pick<MaintenanceGraph<OrderedTask>, 'tasks' | 'nodes'>,
  taskName: string,
  parameter: string,
): number | null {
  const found = tasks.find(({ task }) => task.name === taskName);
  const node = found?.writes.map((id) => nodes.get(id)).find((each) => each?.parameter === parameter);
  return node?.refinement ?? null;
}
