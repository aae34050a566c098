import { messageOf } from '../../shared/kernel/errors.ts';
import type { Logger } from '../../shared/kernel/log.ts';

/**
 * Milliseconds for which what is left to be written waits for more of the same target, where its last task took no longer
 * and as long as nobody asks for it: to write the ends of several quick tasks costs little more than that of one.
 */
const WAITS_FOR_MORE = 50;
/** Milliseconds after which what was left first waits for no more. */
const LONGEST_WAIT = 100;
/**
 * Milliseconds by which the answer is ahead of it then: what carries that to the engine and on to the instrument needs the
 * processor first.
 */
const ANSWER_AHEAD = 3;

/** What is left to be written of the tasks of a target. */
export interface Trail<Left> {
  /** Writes it now. @returns whether all of it was written; false where it was taken back */
  endNow(): Promise<boolean>;
  /** Takes it back, to be written with what follows. @returns null once it is being written, or was */
  takeBack(): readonly Left[] | null;
}

/** What is left of a task: since when, by `performance.now()`, and how many milliseconds the task took. */
interface Waiting {
  since: number;
  took: number;
}

export type TrailingWrites = ReturnType<typeof createTrailingWrites>;

/**
 * What is still to be written of tasks while their target is measured for the next one: history, provenance and the end
 * status, for which no instrument waits. Whoever records the next task writes it with that, waits for it, or ends the
 * tasks before where that failed or its process died.
 */
export function createTrailingWrites({ log }: { log: Pick<Logger, 'warn'> }) {
  const underWay = new Set<() => Promise<boolean>>();

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
    /** Writes what is left, the oldest first, soon, and once. */
    follow<Left extends Waiting>(
      left: readonly Left[],
      write: (left: readonly Left[]) => Promise<void>,
    ): Trail<Left> {
      let writing: Promise<boolean> | undefined;
      const endNow = () => {
        clearTimeout(soon);
        writing ??= carryOut(() => write(left)).finally(() => underWay.delete(endNow));
        return writing;
      };
      const soon = setTimeout(endNow, mayWait(left) ? WAITS_FOR_MORE : ANSWER_AHEAD);
      underWay.add(endNow);
      return {
        endNow,
        takeBack() {
          if (writing) return null;
          clearTimeout(soon);
          underWay.delete(endNow);
          // Whoever has it writes it, or not.
          writing = Promise.resolve(false);
          return left;
        },
      };
    },

    /** Writes all that is left to be written. */
    async settle(): Promise<void> {
      await Promise.all([...underWay].map((endNow) => endNow()));
    },
  };
}

function mayWait(left: readonly Waiting[]): boolean {
  const [first, last] = [left[0], left.at(-1)];
  if (!first || !last) return false;
  return last.took < WAITS_FOR_MORE && performance.now() - first.since < LONGEST_WAIT;
}
