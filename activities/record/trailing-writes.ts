import { messageOf } from '../../shared/kernel/errors.ts';
import type { Logger } from '../../shared/kernel/log.ts';

/**
 * Milliseconds by which the answer is ahead, as long as nobody asks for the writes: what carries it to the engine and on to
 * the instrument needs the processor first.
 */
const ANSWER_AHEAD = 3;

/** Has a task ended now that was left to end. @returns whether all of it was written */
export type EndNow = () => Promise<boolean>;

export type TrailingWrites = ReturnType<typeof createTrailingWrites>;

/**
 * What is still to be written of a task while its target is measured for the next one: history, provenance and the end
 * status, for which no instrument waits. Whoever records the next task waits for it, and ends the task before where that
 * failed or its process died.
 */
export function createTrailingWrites({ log }: { log: Pick<Logger, 'warn'> }) {
  const underWay = new Set<EndNow>();

  async function carryOut(write: () => Promise<void>): Promise<boolean> {
    try {
      await write();
      return true;
    } catch (thrown) {
      log.warn({ error: messageOf(thrown) }, 'a task is not ended yet');
      return false;
    }
  }

  return {
    /** Writes soon, once. */
    follow(write: () => Promise<void>): EndNow {
      let writing: Promise<boolean> | undefined;
      const endNow = () => {
        clearTimeout(soon);
        writing ??= carryOut(write).finally(() => underWay.delete(endNow));
        return writing;
      };
      const soon = setTimeout(endNow, ANSWER_AHEAD);
      underWay.add(endNow);
      return endNow;
    },

    /** Writes all that is left to be written. */
    async settle(): Promise<void> {
      await Promise.all([...underWay].map((endNow) => endNow()));
    },
  };
}
