import DataLoader from 'dataloader';
import { createCommandTurns } from './command-turns.ts';

/** Maximum number of callers whose requests are sent as one command. */
export const MAX_CALLERS = 100;

/**
 * Batches requests of several callers made in one turn of the event loop into one command. Requests must be safe to repeat:
 * if a batch fails, the requests of each caller are sent again separately, so that a bad request fails only for its caller.
 * @param sendTogether sends the requests of several callers and returns one number for each caller
 * @returns a function that sends the requests of one caller; it returns 0 for an empty list
 */
export function coalescedCallers<Request>(
  sendTogether: (callers: readonly (readonly Request[])[]) => Promise<number[]>,
): (requests: readonly Request[]) => Promise<number> {
  const turns = createCommandTurns();

  async function sendAlone(requests: readonly Request[]): Promise<number | Error> {
    try {
      const [answer = 0] = await sendTogether([requests]);
      return answer;
    } catch (thrown) {
      return thrown instanceof Error ? thrown : new Error(String(thrown));
    }
  }

  const loader = new DataLoader<readonly Request[], number>(
    async (callers) => {
      try {
        return await turns.carryOut(() => sendTogether(callers));
      } catch (thrown) {
        if (callers.length === 1) throw thrown;
        return Promise.all(callers.map(sendAlone));
      }
    },
    { cache: false, maxBatchSize: MAX_CALLERS, batchScheduleFn: turns.schedule },
  );
  return async (requests) => (requests.length === 0 ? 0 : loader.load(requests));
}
