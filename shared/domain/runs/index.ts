/** Runs: starting, watching, controlling and ending them, whoever asks: people, schedules, agents. */
import type { Settings } from '../../kernel/config.ts';
import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import type { Engine } from '../../kernel/engine/temporal.ts';
import { findTask, taskNames } from '../../tasks/catalog.ts';
import type { Approvals } from '../approvals/index.ts';
import type { CalibrationStateStore } from '../chips/calibration-state.ts';
import type { CommandStore, ExecutionReader, ExecutionStore } from '../executions/index.ts';
import type { ExecutionDocument } from '../executions/model.ts';
import type { FlowDocument } from '../flows/saved-flow-model.ts';
import type { ProvenanceStore } from '../provenance/store.ts';
import type { TaskResultStore } from '../results/index.ts';
import { createAvailability } from './availability.ts';
import { createChipGuard } from './chip-guard.ts';
import { createRunCloser } from './close.ts';
import { createRunControl } from './control.ts';
import { holderOf } from './holder.ts';
import { idempotencyIndexes } from './idempotency-keys.ts';
import { readLockStatus } from './lock-status.ts';
import { createLockStore, lockIndexes } from './lock-store.ts';
import { createReconciler } from './reconcile.ts';
import { createRepeats } from './repeat.ts';
import { createRunStarter } from './start.ts';
import { createStartFlow } from './start-flow.ts';
import { createTaskStarts } from './start-task.ts';
import { createRunWatch } from './watch.ts';

export { isSameRun } from './holder.ts';
export type { LockDocument, LockStore } from './lock-store.ts';
export { createLockStore } from './lock-store.ts';
export type { RunOrder } from './start.ts';
export type { RunView, RunWatch } from './watch.ts';

export const indexes: readonly CollectionIndexes[] = [lockIndexes, idempotencyIndexes];

/** What the room for running stands on: the records of runs, and what runs are made from. */
export interface RunsDependencies {
  db: Db;
  engine: Engine;
  settings: Settings;
  executions: ExecutionStore;
  reader: Pick<ExecutionReader, 'find'>;
  commands: CommandStore;
  results: TaskResultStore;
  state: CalibrationStateStore;
  provenance: ProvenanceStore;
  approvals: Pick<Approvals, 'withdraw'>;
  flows: { get(projectId: string, name: string): Promise<FlowDocument | null> };
  chips: {
    get(projectId: string, chipId: string): Promise<{ activity_status: 'active' | 'inactive' } | null>;
    allQubitIds(projectId: string, chipId: string): Promise<string[]>;
    allCouplingIds(projectId: string, chipId: string): Promise<string[]>;
  };
  /** The backends of this installation with the tasks that they offer. */
  backends(): Promise<Readonly<Record<string, { tasks: readonly string[] }>>>;
}

export type Runs = ReturnType<typeof createRuns>;

/** The room for running. */
export function createRuns(dependencies: RunsDependencies) {
  const { db, engine, settings, executions, reader, results, flows, chips, backends } = dependencies;
  const defaultBackend = settings.DEFAULT_BACKEND;
  const locks = createLockStore(db);
  const chipGuard = createChipGuard({ engine, locks, results });
  const closer = createRunCloser({ ...dependencies, locks, chipGuard });
  const reconciler = createReconciler({ engine, executions, locks, results, closer, chipGuard });
  const holder = (projectId: string) => holderOf(engine, projectId);
  const current = async (projectId: string, id: string): Promise<ExecutionDocument> =>
    reconciler.upToDate(await reader.find(projectId, id));

  const start = createRunStarter({ db, engine, settings, executions });
  const startFlow = createStartFlow({ start, flow: flows.get, chip: chips.get, backends, defaultBackend });
  const { startTask, reExecuteTask } = createTaskStarts({
    start,
    chips,
    result: results.get,
    execution: executions.get,
    backends,
    defaultBackend,
    findTask,
    taskNames,
  });
  const { reExecute, retry } = createRepeats({
    start,
    startFlow,
    execution: executions.get,
    request: executions.request,
    outcomes: results.outcomes,
    flow: flows.get,
    chip: chips.get,
  });

  return {
    startFlow,
    startTask,
    reExecuteTask,
    reExecute,
    retry,

    /** Whether a run could start now. */
    availability: createAvailability({
      flow: flows.get,
      chip: chips.get,
      holder,
      execution: executions.get,
    }),
    /** The run that holds a project, null when it is free. */
    holder,
    lockStatus: (projectId: string) => readLockStatus({ engine, executions }, projectId),

    /** The execution of a run as it is by now, found by its id or its flow run's. @throws not_found */
    current,
    /** Follows a run. */
    watch: (projectId: string, executionId: string) =>
      createRunWatch({ ...dependencies, current }, projectId, executionId),
    control: createRunControl({ engine, executions, reconciler, current }),

    locks,
    chipGuard,
    closer,
    reconciler,
  };
}
