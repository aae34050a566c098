import { setTimeout as wait } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';

/** Milliseconds that a workflow which has told its end may take to close, and between two looks. */
const PATIENCE = 5000;
const INTERVAL = 50;

/** Looks again while what is found is about to close, for five seconds at most. @returns what was found last */
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
 * Starts a workflow under the id of an earlier one that has told its end: the engine refuses it until that has closed.
 * @throws WorkflowExecutionAlreadyStartedError when it does not close in time
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
