import { setTimeout as wait } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';

/** Starts that are tried, and milliseconds between them. */
const STARTS = 20;
const INTERVAL = 250;

/**
 * Starts a workflow under the id of an earlier one that has told its end and is about to close: the engine refuses it
 * until then.
 * @throws WorkflowExecutionAlreadyStartedError when the earlier one has not closed within five seconds
 */
export async function startOnceClosed<Handle>(start: () => Promise<Handle>): Promise<Handle> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start();
    } catch (thrown) {
      if (!(thrown instanceof WorkflowExecutionAlreadyStartedError) || attempt === STARTS) throw thrown;
      await wait(INTERVAL);
    }
  }
}
