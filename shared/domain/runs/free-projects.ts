import type { ProjectId } from '../../kernel/ids.ts';
import type { ExecutionStore } from '../executions/index.ts';
import type { ExecutionDocument } from '../executions/model.ts';
import { isEndStatus } from '../executions/status-rules.ts';
import { projectBusy } from './busy-rules.ts';
import type { createChipGuard } from './chip-guard.ts';
import type { lastingHolderOf } from './holder.ts';
import type { LockStore } from './lock-store.ts';
import type { Reconciler } from './reconcile.ts';
import type { ChangedChip, createValueLeases } from './value-leases.ts';

/** Maximum time in milliseconds by which this process's clock may be ahead of the server's. */
const CLOCK_TOLERANCE = 3_600_000;

/** Maximum number of stored open runs to check. */
const OPEN_RUNS = 1000;

/** Whether projects are free of runs. */
export function createFreeProjects({
  executions,
  locks,
  leases,
  chipGuard,
  reconciler,
  lastingHolder,
}: {
  executions: Pick<ExecutionStore, 'open'>;
  locks: LockStore;
  leases: ReturnType<typeof createValueLeases>;
  chipGuard: ReturnType<typeof createChipGuard>;
  reconciler: Reconciler;
  /** The run that holds a project, null when it is free; waits for one that has already recorded its end. */
  lastingHolder(projectId: ProjectId): ReturnType<typeof lastingHolderOf>;
}) {
  return {
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
      for (const stored of await executions.open(OPEN_RUNS)) {
        const execution = await reconciler.upToDate(stored);
        if (!isEndStatus(execution.status)) return execution;
      }
      const isQuiet = chipGuard.watch(() => Date.now() - CLOCK_TOLERANCE);
      for (const lock of await locks.abandoned()) {
        if (!(await isQuiet(lock))) return { project_id: lock._id, execution_id: lock.execution_id };
      }
      return null;
    },
  };
}
