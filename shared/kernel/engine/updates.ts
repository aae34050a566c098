import {
  type WorkflowHandle,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Engine } from './temporal.ts';

/** Milliseconds to wait for a workflow's answer. There is none if no worker is running. */
const PATIENCE = 3000;

/** A workflow refused an update, or ended before answering it. */
export class UpdateRefused extends Error {
  override readonly name = 'UpdateRefused';

  /** Failure type of the refusal. */
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Sends an update to a workflow and waits for the answer.
 * @param update `id`: of an update that may be sent again; the workflow carries it out once
 * @returns null if no worker accepted it in time, or if a worker of an earlier release does not know this update. The caller
 *   can send a signal instead, which waits for a worker
 * @throws UpdateRefused, WorkflowNotFoundError
 */
export async function updateWorkflow(
  engine: Engine,
  handle: WorkflowHandle,
  update: string | { name: string; id: string },
  request: unknown,
): Promise<{ answer: unknown } | null> {
  const { name, id } = typeof update === 'string' ? { name: update, id: undefined } : update;
  try {
    const answer = await engine.connection.withDeadline(Date.now() + PATIENCE, () =>
      handle.executeUpdate<unknown, [unknown]>(name, {
        args: [request],
        ...(id !== undefined && { updateId: id }),
      }),
    );
    return { answer };
  } catch (thrown) {
    if (thrown instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return null;
    if (!(thrown instanceof WorkflowUpdateFailedError)) throw thrown;
    const { cause } = thrown;
    // The SDK (1.24.0) answers in this way if there is no handler for the update.
    if (!(cause instanceof ApplicationFailure) || !cause.type) return null;
    throw new UpdateRefused(cause.type, cause.message);
  }
}
