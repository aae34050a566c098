import { messageOf } from '../../shared/kernel/errors.ts';
import type { Logger } from '../../shared/kernel/log.ts';

export type TrailingWrites = ReturnType<typeof createTrailingWrites>;

/**
 * What is still to be written of a task while its target is measured for the next one: history, provenance and the end
 * status, for which no instrument waits. Whoever records the next task waits for it, and ends the task before where that
 * failed or its process died.
 */
export function createTrailingWrites({ log }: { log: Pick<Logger, 'warn'> }) {
  const underWay = new Set<Promise<boolean>>();

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
    /** Begins to write. @returns whether all was written, once that is known */
    follow(write: () => Promise<void>): Promise<boolean> {
      const writing = carryOut(write);
      underWay.add(writing);
      void writing.then(() => underWay.delete(writing));
      return writing;
    },

    /** Waits until nothing is being written. */
    async settle(): Promise<void> {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
