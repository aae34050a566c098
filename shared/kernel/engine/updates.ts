import {
  type WorkflowHandle,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Engine } from './temporal.ts';

/** Milliseconds for a workflow to answer; one whose workers are all away does not. */
const PATIENCE = 3000;

/** A workflow refused an update, or ended before it could answer it. */
export class UpdateRefused extends Error {
  override readonly name = 'UpdateRefused';

  /** The type of the failure by which it refused. */
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Asks a workflow for something and waits for its answer.
 * @returns null when it did not take the request in time, since no worker is there, or does not know this update, since
 *   a worker of an earlier release runs it: a signal waits until one can
 * @throws UpdateRefused, WorkflowNotFoundError
 */
export async function updateWorkflow(
  engine: Engine,
  handle: WorkflowHandle,
  name: string,
  request: unknown,
): Promise<{ answer: unknown } | null> {
  try {
    const answer = await engine.connection.withDeadline(Date.now() + PATIENCE, () =>
      handle.executeUpdate<unknown, [unknown]>(name, { args: [request] }),
    );
    return { answer };
  } catch (thrown) {
    if (thrown instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return null;
    if (!(thrown instanceof WorkflowUpdateFailedError)) throw thrown;
    const { cause } = thrown;
    // So the SDK answers for an update without a handler (1.24.0).
    if (!(cause instanceof ApplicationFailure) || !cause.type) return null;
    throw new UpdateRefused(cause.type, cause.message);
  }
}
