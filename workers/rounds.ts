import type { Logger } from '../shared/kernel/log.ts';

/** Number of checks for a due round per interval. A round is at most 1/4 of the interval late. */
const ASKED = 4;

/** Runs the rounds of a periodic job that this process may take; the first check is immediate. */
export function startRounds(dependencies: {
  /** Milliseconds between rounds. */
  interval: number;
  /** Tries to claim the due round for this process. */
  takeRound(interval: number): Promise<boolean>;
  round(): Promise<unknown>;
  /** What a round does, for the log, such as `reconcile`. */
  purpose: string;
  log: Logger;
}): { end(): void } {
  const { interval, takeRound, round, purpose, log } = dependencies;
  let busy = false;

  async function look(): Promise<void> {
    if (busy) return;
    busy = true;
    try {
      if (await takeRound(interval)) await round();
    } catch (thrown) {
      log.warn({ error: String(thrown) }, `could not ${purpose}`);
    } finally {
      busy = false;
    }
  }

  void look();
  const asking = setInterval(look, interval / ASKED);
  asking.unref();
  return { end: () => clearInterval(asking) };
}
