import { defineArea } from '../../kernel/area.ts';
import type { ExecutionId, ProjectId } from '../../kernel/ids.ts';
import { flowRunIdOf } from '../executions/id-rules.ts';
import type { ExecutionDocument } from '../executions/model.ts';
import { createAvailability } from './availability.ts';
import { createChipGuard } from './chip-guard.ts';
import { createRunCloser } from './close.ts';
import { createRunControl } from './control.ts';
import { createCurrent } from './current.ts';
import { createFreeProjects } from './free-projects.ts';
import { holderOf, lastingHolderOf } from './holder.ts';
import { idempotencyIndexes } from './idempotency-keys.ts';
import { createKeptResults } from './kept-results.ts';
import { readLockStatus } from './lock-status.ts';
import { createLockStore, lockIndexes } from './lock-store.ts';
import type { RunNeeds } from './needs.ts';
import { readOpenRuns } from './open-runs.ts';
import { createReconciler } from './reconcile.ts';
import { createReconcilerRounds, roundIndexes } from './rounds.ts';
import { createStarts } from './starts.ts';
import { createValueLeases, leaseIndexes } from './value-leases.ts';
import { createRunWatch } from './watch.ts';
import { flowRunUrl } from './wire.ts';

export { type ServerTime, serverTimeFrom } from './chip-guard.ts';
export { isSameRun } from './holder.ts';
export type { MeasuredPass } from './kept-result-model.ts';
export type { KeptResults } from './kept-results.ts';
export type { LockDocument, LockStore } from './lock-store.ts';
export type { OpenRuns } from './open-runs.ts';
export type { RunOrder } from './run-order.ts';
export type { RunNews, RunView, RunWatch } from './watch.ts';

export type Runs = ReturnType<typeof runs.create>;

/** Starting, watching, controlling and ending runs, for users, schedules and agents. */
export const runs = defineArea({
  name: 'runs',
  indexes: [lockIndexes, leaseIndexes, idempotencyIndexes, roundIndexes],
  create(needs: RunNeeds) {
    const { db, engine, settings, log, executions, results, chips, provenance, approvals, flows } = needs;
    const { updateGate: gate, diskSpace } = needs;
    const { store: executionStore, commands } = executions;
    const stores = { executions: executionStore, commands, results };
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

    return {
      ...createStarts(needs),

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
      ...createFreeProjects({
        executions: executionStore,
        locks,
        leases,
        chipGuard,
        reconciler,
        lastingHolder,
      }),

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
