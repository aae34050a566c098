import { condition } from '@temporalio/workflow';

/**
 * Limit of the answers in flight to `record` activities, in bytes. All commands of a workflow task travel in one message of at
 * most 4 MB, which also carries the requests to measure.
 */
const LIMIT = 2_000_000;

/** Limits the bytes of answers in flight. Further ones wait until there is room. */
export function createAnswersInFlight() {
  let inFlight = 0;
  const mustWait = (bytes: number) => inFlight > 0 && inFlight + bytes > LIMIT;
  return {
    /** Runs `record`, whose input has an answer of `bytes` bytes, when there is room. One answer alone always has room. */
    async carrying<T>(bytes: number, record: () => Promise<T>): Promise<T> {
      // Several waiters wake at the same time, and the first may take all the room.
      while (mustWait(bytes)) await condition(() => !mustWait(bytes));
      inFlight += bytes;
      try {
        return await record();
      } finally {
        inFlight -= bytes;
      }
    },
  };
}
