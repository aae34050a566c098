import { LRUCache } from 'lru-cache';
import type { ProjectId } from '../../kernel/ids.ts';
import type { Backends } from '../backends/index.ts';
import type { TargetKind } from '../chips/model.ts';
import { type MaintenanceGraph, maintenanceGraph } from './graph-rules.ts';
import { type GraphIndex, indexed } from './state-rules.ts';

/** Number of graphs kept; projects with the same tasks share one. */
const GRAPHS = 50;

/** A graph, also with its tasks and values by name. */
export interface KnownGraph {
  graph: MaintenanceGraph;
  index: GraphIndex;
  /** Names of the values of each kind of target, in the order of calibration. */
  parameters: Readonly<Record<TargetKind, readonly string[]>>;
}

/** The graphs of projects: of the catalog's tasks, and of those that their backends declare. */
export function createGraphs(backends: Pick<Backends, 'tasksOf'>) {
  const made = new LRUCache<string, KnownGraph>({ max: GRAPHS });

  return async (projectId: ProjectId): Promise<KnownGraph> => {
    const known = await backends.tasksOf(projectId);
    // Of two backends that declare a task of the same name, one counts.
    const tasks = known.names().flatMap((name) => known.find(name) ?? []);
    const key = tasks.flatMap(({ name, declared }) => (declared ? `${name}/${declared.hash}` : [])).join(' ');
    const before = made.get(key);
    if (before) return before;
    const graph = maintenanceGraph(tasks);
    const parametersOf = (kind: TargetKind) => [
      ...new Set([...graph.nodes.values()].flatMap((node) => (node.kind === kind ? node.parameter : []))),
    ];
    const parameters = { qubit: parametersOf('qubit'), coupling: parametersOf('coupling') };
    const found = { graph, index: indexed(graph), parameters };
    made.set(key, found);
    return found;
  };
}
