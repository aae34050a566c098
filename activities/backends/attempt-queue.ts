/** A measurement under way in this process. */
interface Attempt {
  stop: AbortController;
  ended: Promise<void>;
}

/**
 * Lets the attempts of one measurement follow each other. The engine repeats what it has heard nothing of for a
 * heartbeat time-out; the first attempt may still drive the instrument then, and hears seconds later that nobody
 * waits for it.
 */
export function createAttemptQueue() {
  const latest = new Map<string, Attempt>();

  /**
   * Runs `attempt` of this task when the one before it has let go, which is told to.
   * @param attempt given the signal on which it has to let go itself.
   */
  return async function inTurn<T>(taskId: string, attempt: (stop: AbortSignal) => Promise<T>): Promise<T> {
    const before = latest.get(taskId);
    const stop = new AbortController();
    before?.stop.abort();
    const running = (before?.ended ?? Promise.resolve()).then(() => attempt(stop.signal));
    const current: Attempt = { stop, ended: running.then(nothing, nothing) };
    latest.set(taskId, current);
    try {
      return await running;
    } finally {
      if (latest.get(taskId) === current) latest.delete(taskId);
    }
  };
}

function nothing(): void {}
