import type { Collection } from 'mongodb';
import { type ExecutionId, keyOf, type ProjectId } from '../../kernel/ids.ts';
import type { ExecutionDocument } from './model.ts';
import { keepWaits } from './past-waits.ts';
import { openExecutionStatuses, type Preempted, type Waiting } from './status-rules.ts';

const open = { $in: [...openExecutionStatuses] };

/** What open executions wait for. Past waits are kept for the account of the run's time. */
export function createWaitNotes(executions: Collection<ExecutionDocument>) {
  return {
    /** Records what an open run waits for; null while it continues. */
    async noteWaiting(
      projectId: ProjectId,
      executionId: ExecutionId,
      waiting: Waiting | null,
    ): Promise<void> {
      const _id = keyOf(projectId, executionId);
      const before = await executions.findOneAndUpdate(
        { _id, status: open },
        { $set: { waiting } },
        { projection: { waiting: 1 } },
      );
      if (before && before.waiting?.since !== waiting?.since) await keepWaits(executions, before);
    },

    /** Shows in an open run which run uses the chip in between, or that none does any more. */
    async notePreempted(
      projectId: ProjectId,
      executionId: ExecutionId,
      preempted: Preempted | null,
    ): Promise<void> {
      const _id = keyOf(projectId, executionId);
      const before = await executions.findOneAndUpdate(
        { _id, status: open },
        { $set: { preempted } },
        { projection: { preempted: 1 } },
      );
      if (before && before.preempted?.since !== preempted?.since) await keepWaits(executions, before);
    },
  };
}
