import type { Collection } from 'mongodb';
import { type ExecutionId, keyOf, type ProjectId } from '../../kernel/ids.ts';
import type { ExecutionDocument } from './model.ts';
import { keepWaits } from './past-waits.ts';
import { openExecutionStatuses, type Preempted, type Waiting } from './status-rules.ts';

const open = { $in: [...openExecutionStatuses] };

/** What open executions wait for. Past waits are kept for the account of the run's time. */
export function createWaitNotes(executions: Collection<ExecutionDocument>) {
  /** Writes what an open run waits for to one of its fields, and keeps the wait that was there. */
  async function note<Field extends 'waiting' | 'preempted'>(
    [projectId, executionId]: readonly [ProjectId, ExecutionId],
    field: Field,
    value: NonNullable<ExecutionDocument[Field]> | null,
  ): Promise<void> {
    const before = await executions.findOneAndUpdate(
      { _id: keyOf(projectId, executionId), status: open },
      { $set: { [field]: value } },
      { projection: { [field]: 1 } },
    );
    if (before && before[field]?.since !== value?.since) await keepWaits(executions, before);
  }

  return {
    /** Records what an open run waits for; null while it continues. */
    noteWaiting: (projectId: ProjectId, executionId: ExecutionId, waiting: Waiting | null): Promise<void> =>
      note([projectId, executionId], 'waiting', waiting),

    /** Shows in an open run which run uses the chip in between, or that none does any more. */
    notePreempted: (
      projectId: ProjectId,
      executionId: ExecutionId,
      preempted: Preempted | null,
    ): Promise<void> => note([projectId, executionId], 'preempted', preempted),
  };
}
