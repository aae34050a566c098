import { setTimeout as wait } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';

/** Milliseconds to wait for a workflow to close after it has reported its end, and polling interval in ms. */
const PATIENCE = 5000;
const INTERVAL = 50;

/** Polls while the result of `look` is about to close, for at most five seconds. @returns the last result */
export async function onceClosed<Found>(
  look: () => Promise<Found>,
  isClosing: (found: Found) => boolean | Promise<boolean>,
): Promise<Found> {
  for (const limit = Date.now() + PATIENCE; ; ) {
    const found = await look();
    if (!(await isClosing(found)) || Date.now() > limit) return found;
    await wait(INTERVAL);
  }
}

/**
 * Starts a workflow whose id was used by an earlier one that has reported its end. The engine refuses the start until the
 * earlier one has closed.
 * @throws WorkflowExecutionAlreadyStartedError if the earlier one does not close in time
 */
export async function startOnceClosed<Handle extends object>(start: () => Promise<Handle>): Promise<Handle> {
  const begun = await onceClosed<Handle | WorkflowExecutionAlreadyStartedError>(
    () =>
      start().catch((thrown: unknown) => {
        if (thrown instanceof WorkflowExecutionAlreadyStartedError) return thrown;
        throw thrown;
      }),
    (found) => found instanceof WorkflowExecutionAlreadyStartedError,
  );
  if (begun instanceof WorkflowExecutionAlreadyStartedError) throw begun;
  return begun;
}
