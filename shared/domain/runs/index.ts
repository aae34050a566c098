import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { ExecutionId, ProjectId } from '../../kernel/ids.ts';
import type { Accounts } from '../accounts/index.ts';
import type { Approvals } from '../approvals/index.ts';
import type { BackendWorkers } from '../backend-workers/index.ts';
import type { Backends } from '../backends/index.ts';
import type { MeasuringSettings } from '../backends/settings.ts';
import type { Chips } from '../chips/index.ts';
import type { DiskSpaceOfInstallation } from '../disk-space/index.ts';
import { flowRunIdOf } from '../executions/id-rules.ts';
import type { Executions } from '../executions/index.ts';
import type { ExecutionDocument } from '../executions/model.ts';
import { isEndStatus } from '../executions/status-rules.ts';
import { MENU_FLOW } from '../flows/built-in-rules.ts';
import type { Flows } from '../flows/index.ts';
import type { Menus } from '../menus/index.ts';
import type { ProvenanceStore } from '../provenance/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { UpdateGate } from '../update-gate/index.ts';
import { createAvailability } from './availability.ts';
import { projectBusy } from './busy-rules.ts';
import { createChipGuard } from './chip-guard.ts';
import { createRunCloser } from './close.ts';
import { createRunControl } from './control.ts';
import { createCurrent } from './current.ts';
import { holderOf, lastingHolderOf } from './holder.ts';
import { idempotencyIndexes } from './idempotency-keys.ts';
import { createKeptResults } from './kept-results.ts';
import { readLockStatus } from './lock-status.ts';
import { createLockStore, lockIndexes } from './lock-store.ts';
import { readOpenRuns } from './open-runs.ts';
import { createReconciler } from './reconcile.ts';
import { createRepeats } from './repeat.ts';
import { createReconcilerRounds, roundIndexes } from './rounds.ts';
import type { RunSettings } from './settings.ts';
import { createRunStarter } from './start.ts';
import { createStartFlow } from './start-flow.ts';
import { createTaskStarts } from './start-task.ts';
import { type ChangedChip, createValueLeases, leaseIndexes } from './value-leases.ts';
import { createRunWatch } from './watch.ts';
import { flowRunUrl } from './wire.ts';

export { type ServerTime, serverTimeFrom } from './chip-guard.ts';
export { isSameRun } from './holder.ts';
export type { MeasuredPass } from './kept-result-model.ts';
export type { KeptResults } from './kept-results.ts';
export type { LockDocument, LockStore } from './lock-store.ts';
export type { OpenRuns } from './open-runs.ts';
export type { RunOrder } from './start.ts';
export type { RunNews, RunView, RunWatch } from './watch.ts';

/** Maximum time in milliseconds by which this process's clock may be ahead of the server's. */
const CLOCK_TOLERANCE = 3_600_000;

/** Maximum number of stored open runs to check. */
const OPEN_RUNS = 1000;

/** Dependencies of runs. */
interface Needs extends Kernel<RunSettings & MeasuringSettings> {
  accounts: Pick<Accounts, 'users'>;
  executions: Executions;
  results: TaskResultStore;
  chips: Chips;
  provenance: ProvenanceStore;
  approvals: Pick<Approvals, 'withdraw'>;
  flows: Pick<Flows, 'get' | 'noSuchFlow' | 'pin' | 'checkParameters'>;
  menus: Pick<Menus, 'parametersOfRun'>;
  backends: Pick<Backends, 'offers' | 'tasksOf'>;
  backendWorkers: Pick<BackendWorkers, 'assertWorker'>;
  updateGate: UpdateGate;
  diskSpace: DiskSpaceOfInstallation;
}

export type Runs = ReturnType<typeof runs.create>;

/** Starting, watching, controlling and ending runs, for users, schedules and agents. */
export const runs = defineArea({
  name: 'runs',
  indexes: [lockIndexes, leaseIndexes, idempotencyIndexes, roundIndexes],
  create({
    db,
    engine,
    settings,
    log,
    accounts,
    executions,
    results,
    chips,
    provenance,
    approvals,
    flows,
    menus,
    backends,
    backendWorkers,
    updateGate: gate,
    diskSpace,
  }: Needs) {
    const { store: executionStore, commands } = executions;
    const stores = { executions: executionStore, commands, results };
    const defaultBackend = settings.DEFAULT_BACKEND;
    const locks = createLockStore(db);
    const leases = createValueLeases(db);
    const chipGuard = createChipGuard({ engine, locks, results, commands });
    const keptResults = createKeptResults(settings.CALIB_DATA_PATH, log);
    const closer = createRunCloser({
      ...stores,
      settings,
      state: chips.state,
      provenance,
      approvals,
      locks,
      chipGuard,
      keptResults,
    });
    const reconciler = createReconciler({
      engine,
      ...stores,
      locks,
      closer,
      chipGuard,
      shortage: diskSpace.shortage,
    });
    const holder = (projectId: ProjectId) => holderOf(engine, projectId);
    const lastingHolder = (projectId: ProjectId) => lastingHolderOf(engine, executionStore, projectId);
    const { current, polled } = createCurrent({ find: executions.find, upToDate: reconciler.upToDate });

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

    return {
      startFlow,
      checkFlow,
      startTask,
      reExecuteTask,
      agentTasks,
      reExecute,
      retry,

      /** Whether a run could start now. */
      availability: createAvailability({
        flow: flows.get,
        noSuchFlow: flows.noSuchFlow,
        chip: chips.get,
        holder: lastingHolder,
        execution: executionStore.get,
        update: gate.holder,
      }),
      /** The run that holds a project, null when it is free. */
      holder,
      /** Like `holder`, but waits for a run that has already recorded its end. */
      lastingHolder,
      /**
       * Changes a project outside of a run; no run starts meanwhile.
       * @param then what the caller may do once the project is free
       * @param change must call the function it receives before each of its writes
       * @param chip the chip that is changed or removed
       * @throws project_busy naming the holder, also one whose stages have not all ended; conflict when the chip is being removed
       */
      whileFree: <T>(
        projectId: ProjectId,
        then: string,
        change: (renew: () => Promise<void>) => Promise<T>,
        chip?: ChangedChip,
      ): Promise<T> =>
        leases.hold(
          projectId,
          async () => {
            const holding = await lastingHolder(projectId);
            const lock = await locks.get(projectId);
            const busy = holding ?? (lock && lock.state !== 'free' ? lock : null);
            if (busy) throw projectBusy(busy, then);
          },
          change,
          chip,
        ),
      /** A run that is open according to the engine, or whose instrument may still measure; null when there is none. */
      async anyOpen(): Promise<Pick<ExecutionDocument, 'project_id' | 'execution_id'> | null> {
        for (const stored of await executionStore.open(OPEN_RUNS)) {
          const execution = await reconciler.upToDate(stored);
          if (!isEndStatus(execution.status)) return execution;
        }
        const isQuiet = chipGuard.watch(() => Date.now() - CLOCK_TOLERANCE);
        for (const lock of await locks.abandoned()) {
          if (!(await isQuiet(lock))) return { project_id: lock._id, execution_id: lock.execution_id };
        }
        return null;
      },

      /** Address of a run in the engine's UI; null for an execution without a workflow. */
      urlOf(
        execution: Pick<ExecutionDocument, 'project_id' | 'execution_id' | 'preempts' | 'note'>,
      ): string | null {
        const flowRunId = flowRunIdOf(execution);
        const pages = { engineUrl: settings.TEMPORAL_UI_URL, namespace: engine.namespace };
        return flowRunId === '' ? null : flowRunUrl(pages, execution, flowRunId);
      },

      lockStatus: (projectId: ProjectId) => readLockStatus({ engine, executions: executionStore }, projectId),

      /**
       * The current execution of a run, compared with the engine. Accepts the execution id or the flow run id. @throws not_found
       */
      current,
      /** As {@link current}, for a client that polls: compared with the engine at most every ten seconds. @throws not_found */
      polled,
      /** Follows a run. */
      watch: (projectId: ProjectId, executionId: ExecutionId) =>
        createRunWatch({ ...stores, current, forecasts: executions }, projectId, executionId),
      control: createRunControl({ engine, executions: executionStore, reconciler, current }),

      locks,
      leases,
      chipGuard,
      keptResults,
      closer,
      reconciler,
      /** Decides which process makes the reconciler's next round. */
      rounds: createReconcilerRounds(db),
      /** Number of open and of stuck runs, and how long each has held its project. */
      openRuns: () => readOpenRuns(executionStore),
    };
  },
});
