import { MENU_FLOW } from '../flows/built-in-rules.ts';
import type { RunNeeds } from './needs.ts';
import { createRepeats } from './repeat.ts';
import { createRunStarter } from './start.ts';
import { createStartFlow } from './start-flow.ts';
import { createTaskStarts } from './start-task.ts';

/** What starting a run needs of the other areas. */
type Needs = Pick<
  RunNeeds,
  | 'db'
  | 'engine'
  | 'settings'
  | 'accounts'
  | 'executions'
  | 'results'
  | 'chips'
  | 'flows'
  | 'menus'
  | 'backends'
  | 'backendWorkers'
  | 'updateGate'
>;

/** All ways to start a run: a flow, a single task, or an earlier run once more. */
export function createStarts({
  db,
  engine,
  settings,
  accounts,
  executions,
  results,
  chips,
  flows,
  menus,
  backends,
  backendWorkers,
  updateGate: gate,
}: Needs) {
  const { store: executionStore, commands } = executions;
  const defaultBackend = settings.DEFAULT_BACKEND;
  const start = createRunStarter({
    db,
    engine,
    settings,
    executions: executionStore,
    flows,
    gate,
    account: accounts.users.find,
  });
  const { startFlow, checkFlow } = createStartFlow({
    start,
    flow: flows.get,
    noSuchFlow: flows.noSuchFlow,
    builtInParameters: { [MENU_FLOW]: menus.parametersOfRun },
    checkParameters: flows.checkParameters,
    chip: chips.get,
    partsOf: async (projectId, chipId) => {
      const [qubits, couplings] = await Promise.all([
        chips.allQubitIds(projectId, chipId),
        chips.allCouplingIds(projectId, chipId),
      ]);
      return { chip_id: chipId, qubits, couplings };
    },
    backends: backends.offers,
    assertWorker: backendWorkers.assertWorker,
    defaultBackend,
    tasksOf: backends.tasksOf,
  });
  const { startTask, reExecuteTask, agentTasks } = createTaskStarts({
    start,
    chips,
    result: results.get,
    newestIn: results.newestIn,
    execution: executionStore.get,
    backends: backends.offers,
    assertWorker: backendWorkers.assertWorker,
    defaultBackend,
    tasksOf: backends.tasksOf,
  });
  const { reExecute, retry } = createRepeats({
    start,
    startFlow,
    execution: executionStore.get,
    request: executionStore.request,
    outcomes: results.outcomes,
    stages: (projectId, executionId) => commands.stagesAfter(projectId, executionId, -1),
    backends: backends.offers,
    flow: flows.get,
    chip: chips.get,
  });

  return { startFlow, checkFlow, startTask, reExecuteTask, agentTasks, reExecute, retry };
}
