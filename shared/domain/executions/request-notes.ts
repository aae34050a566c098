import type { Collection } from 'mongodb';
import { coalesced } from '../../kernel/coalesced-reads.ts';
import { type ExecutionId, keyOf, type ProjectId } from '../../kernel/ids.ts';
import type { ExecutionDocument } from './model.ts';
import { keepWaits } from './past-waits.ts';
import { type ControlRequest, openExecutionStatuses } from './status-rules.ts';

const open = { $in: [...openExecutionStatuses] };

/** Requests of users in open executions: to pause, resume, stop and cancel. */
export function createRequestNotes(executions: Collection<ExecutionDocument>) {
  const asked = coalesced((ids) =>
    executions
      .find({ _id: { $in: [...ids] } }, { projection: { paused: 1, stopping: 1, cancel_requested_at: 1 } })
      .toArray(),
  );

  return {
    /** Whether a user has stopped new measurements of a run: paused it, stopped it, or requested a cancel. */
    async isHeldBack(projectId: ProjectId, executionId: ExecutionId): Promise<boolean> {
      const execution = await asked(keyOf(projectId, executionId));
      return Boolean(execution?.paused || execution?.stopping || execution?.cancel_requested_at);
    },

    /** Records when a cancel was first requested. */
    async noteCancelRequest(execution: Pick<ExecutionDocument, '_id'>, at: Date): Promise<void> {
      await executions.updateOne(
        { _id: execution._id, status: open, cancel_requested_at: null },
        { $set: { cancel_requested_at: at } },
      );
    },

    /** Records the pause and stop requests that a run's workflow has; does not overwrite a newer pause. */
    async noteControl(
      projectId: ProjectId,
      executionId: ExecutionId,
      control: { paused: ControlRequest | null; stopping: ControlRequest | null; changed_at: string | null },
    ): Promise<void> {
      const { paused, stopping, changed_at } = control;
      const before = await executions.findOneAndUpdate(
        {
          _id: keyOf(projectId, executionId),
          status: open,
          $or: [{ paused: null }, { 'paused.at': { $lte: changed_at ?? '' } }],
        },
        { $set: { paused, stopping } },
        { projection: { paused: 1 } },
      );
      if (before && !paused) await keepWaits(executions, before);
    },

    /** Pauses an open run that is not paused, or resumes a paused one. @returns false if the run is in another state. */
    async changePause(
      execution: Pick<ExecutionDocument, '_id'>,
      paused: ControlRequest | null,
    ): Promise<boolean> {
      const before = await executions.findOneAndUpdate(
        { _id: execution._id, status: open, paused: paused ? null : { $ne: null } },
        { $set: { paused } },
        { projection: { paused: 1 } },
      );
      if (before) await keepWaits(executions, before);
      return before !== null;
    },

    async noteStop(execution: Pick<ExecutionDocument, '_id'>, stopping: ControlRequest): Promise<boolean> {
      const { matchedCount } = await executions.updateOne(
        { _id: execution._id, status: open },
        { $set: { stopping } },
      );
      return matchedCount === 1;
    },
  };
}
