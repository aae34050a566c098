import DataLoader from 'dataloader';
import { createCommandTurns } from './command-turns.ts';

/** Callers whose requests go as one command. */
export const MAX_CALLERS = 100;

/**
 * Carries out requests that are asked for in one turn of the event loop, by whomever, as one command. They have to be safe
 * to repeat: where one fails, those of each caller are carried out once more by themselves, so that it fails for nobody else.
 * @param sendTogether sends those of several callers, and tells each of them a number
 * @returns what carries out those of one caller; without any it answers 0
 */
export function coalescedCallers<Request>(
  sendTogether: (callers: readonly (readonly Request[])[]) => Promise<number[]>,
): (requests: readonly Request[]) => Promise<number> {
  const turns = createCommandTurns();

  async function sendAlone(requests: readonly Request[]): Promise<number | Error> {
    try {
      const [told = 0] = await sendTogether([requests]);
      return told;
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
