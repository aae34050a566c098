import { condition } from '@temporalio/workflow';
import { has } from './patches.ts';

/**
 * Bytes of answers that may be on their way to the records at once. All that a workflow task asks for travels in one
 * message of at most 4 MB, beside these the requests of measurements.
 */
const LIMIT = 2_000_000;

export type AnswersInFlight = ReturnType<typeof createAnswersInFlight>;

/** Lets answers wait for each other, so that those on their way to the records never weigh too much together. */
export function createAnswersInFlight() {
  let inFlight = 0;
  const mustWait = (bytes: number) => inFlight > 0 && inFlight + bytes > LIMIT;
  return {
    /** Runs `record`, which carries an answer of so many bytes, when there is room. One alone always has room. */
    async carrying<T>(bytes: number, record: () => Promise<T>): Promise<T> {
      if (mustWait(bytes) && has('boundedAnswers')) {
        // Several wake at the same time; only the first ones still find room.
        while (mustWait(bytes)) await condition(() => !mustWait(bytes));
      }
      inFlight += bytes;
      try {
        return await record();
      } finally {
        inFlight -= bytes;
      }
    },
  };
}
