import type { Logger } from '../shared/kernel/log.ts';

/** Number of checks for a due round per interval. A round is at most 1/4 of the interval late. */
const ASKED = 4;

/** Runs reconciler rounds that this process may take; the first check is immediate. */
export function startReconciling(dependencies: {
  /** Milliseconds between rounds. */
  interval: number;
  /** Tries to claim the due round for this process. */
  takeRound(interval: number): Promise<boolean>;
  reconcile(): Promise<unknown>;
  /** What the round does, for the log; default: reconcile. */
  purpose?: string;
  log: Logger;
}): { end(): void } {
  const { interval, takeRound, reconcile, purpose = 'reconcile', log } = dependencies;
  let busy = false;

  async function look(): Promise<void> {
    if (busy) return;
    busy = true;
    try {
      if (await takeRound(interval)) await reconcile();
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
