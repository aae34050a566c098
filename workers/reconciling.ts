import type { Logger } from '../shared/kernel/log.ts';

/** Times in each interval that a process asks for the next round: so much later than due it is made at most. */
const ASKED = 4;

/** Makes rounds of the reconciler as they come to this process, the first at once if it is due. */
export function startReconciling(dependencies: {
  /** Milliseconds between two rounds. */
  interval: number;
  /** Whether the round that is due is this process's to make. */
  takeRound(interval: number): Promise<boolean>;
  reconcile(): Promise<unknown>;
  log: Logger;
}): { end(): void } {
  const { interval, takeRound, reconcile, log } = dependencies;
  let busy = false;

  async function look(): Promise<void> {
    if (busy) return;
    busy = true;
    try {
      if (await takeRound(interval)) await reconcile();
    } catch (thrown) {
      log.warn({ error: String(thrown) }, 'could not reconcile');
    } finally {
      busy = false;
    }
  }

  void look();
  const asking = setInterval(look, interval / ASKED);
  asking.unref();
  return { end: () => clearInterval(asking) };
}
