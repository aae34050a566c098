import { LRUCache } from 'lru-cache';
import type { ProjectId } from '../../kernel/ids.ts';
import { taskCatalog } from '../../tasks/catalog.ts';
import type { TaskDefinition } from '../../tasks/model.ts';
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
export function createGraphs(backends: Pick<Backends, 'ownTasksOf'>) {
  const made = new LRUCache<string, KnownGraph>({ max: GRAPHS });

  return async (projectId: ProjectId): Promise<KnownGraph> => {
    const own = distinct(await backends.ownTasksOf(projectId));
    const key = own.map(({ name, declared }) => `${name}/${declared?.hash}`).join(' ');
    const before = made.get(key);
    if (before) return before;
    const graph = maintenanceGraph([...taskCatalog, ...own]);
    const parametersOf = (kind: TargetKind) => [
      ...new Set([...graph.nodes.values()].flatMap((node) => (node.kind === kind ? node.parameter : []))),
    ];
    const parameters = { qubit: parametersOf('qubit'), coupling: parametersOf('coupling') };
    const known = { graph, index: indexed(graph), parameters };
    made.set(key, known);
    return known;
  };
}

const shipped = new Set(taskCatalog.map(({ name }) => name));

/** The first declaration of each name that the catalog does not have. */
function distinct(own: readonly TaskDefinition[]): TaskDefinition[] {
  const byName = new Map<string, TaskDefinition>();
  for (const task of own) if (!shipped.has(task.name) && !byName.has(task.name)) byName.set(task.name, task);
  return [...byName.values()];
}
