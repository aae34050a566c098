/** Step finish_and_continue: delays the writes that the next measurement does not wait for. */
import { messageOf } from '../../shared/kernel/errors.ts';
import type { Logger } from '../../shared/kernel/log.ts';

/**
 * Milliseconds for which pending writes of a target wait to be written together with those of its next task, if its last task
 * took less than this. Writing the ends of several quick tasks at once costs little more than writing one.
 */
const WAITS_FOR_MORE = 50;
/** Longest wait of the oldest pending write, in milliseconds. */
const LONGEST_WAIT = 100;
/**
 * Milliseconds by which all pending writes are delayed. The instrument waits for the next measurement request, which must get
 * the processor first.
 */
const ANSWER_AHEAD = 3;

/** Pending writes of the tasks of a target. */
export interface Trail<Left> {
  /** Writes them now. @returns false if they were taken back */
  endNow(): Promise<boolean>;
  /** Takes them back, to be written with later ones. @returns null if they are written or being written */
  takeBack(): readonly Left[] | null;
}

/** Pending writes of a task: since when, by `performance.now()`, and the duration of the task in milliseconds. */
interface Waiting {
  since: number;
  took: number;
}

export type TrailingWrites = ReturnType<typeof createTrailingWrites>;

/**
 * Writes that happen while the target is already measured for its next task: history, provenance and end status, which no
 * instrument waits for. The step that records the next task writes them together with its own, or waits for them. If they failed
 * or their process died, it ends the earlier tasks itself.
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
    /** Schedules pending writes, oldest first. Each is written once. */
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
          // The new owner is responsible for writing it.
          writing = Promise.resolve(false);
          return left;
        },
      };
    },

    /** Writes everything that is pending. */
    async settle(): Promise<void> {
      await Promise.all([...underWay].map((endNow) => endNow()));
    },
  };
}

/** Whether more writes of the target are expected soon, so that these may wait for them. */
function mayWait(left: readonly Waiting[]): boolean {
  const [first, last] = [left[0], left.at(-1)];
  if (!first || !last) return false;
  return last.took < WAITS_FOR_MORE && performance.now() - first.since < LONGEST_WAIT;
}
