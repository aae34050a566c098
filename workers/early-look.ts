import { messageOf } from '../shared/kernel/errors.ts';
import type { Logger } from '../shared/kernel/log.ts';

/** Milliseconds from a failure to the look at runs: by then the engine knows of the failure. */
const AFTER = 2000;
/** Least milliseconds between two such looks. */
const PAUSE = 10_000;

/**
 * Looks at open runs soon after a workflow task has failed in this process, because the next regular look may be a minute away:
 * the runs then show what keeps them from continuing. Before `use`, failures are only remembered.
 */
export function createEarlyLook(log: Pick<Logger, 'warn'>, now: () => number = Date.now) {
  let look: (() => Promise<unknown>) | undefined;
  let isFailing = false;
  let timer: NodeJS.Timeout | undefined;
  let earliest = 0;

  function plan(): void {
    if (!look || timer || !isFailing) return;
    const wait = Math.max(AFTER, earliest - now());
    timer = setTimeout(() => void carryOut(), wait);
    timer.unref();
  }

  async function carryOut(): Promise<void> {
    isFailing = false;
    earliest = now() + PAUSE;
    try {
      await look?.();
    } catch (thrown) {
      log.warn({ error: messageOf(thrown) }, 'could not look at the runs whose workflow tasks fail');
    } finally {
      timer = undefined;
      plan();
    }
  }

  return {
    /** A workflow task has failed. */
    notice(): void {
      isFailing = true;
      plan();
    },

    /** Uses this look from now on. */
    use(given: () => Promise<unknown>): void {
      look = given;
      plan();
    },

    end(): void {
      look = undefined;
      clearTimeout(timer);
    },
  };
}
