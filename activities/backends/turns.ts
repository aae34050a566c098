/** A measurement under way in this process. */
interface Turn {
  stop: AbortController;
  ended: Promise<void>;
}

/**
 * Lets the attempts of one measurement follow each other. The engine repeats what it has heard nothing of for a
 * heartbeat time-out; the first attempt may still drive the instrument then, and hears seconds later that nobody
 * waits for it.
 */
export function createTurns() {
  const latest = new Map<string, Turn>();

  /**
   * Runs `attempt` of this task when the one before it has let go, which is told to.
   * @param attempt given the signal on which it has to let go itself.
   */
  return async function inTurn<T>(taskId: string, attempt: (stop: AbortSignal) => Promise<T>): Promise<T> {
    const before = latest.get(taskId);
    const stop = new AbortController();
    before?.stop.abort();
    const running = (before?.ended ?? Promise.resolve()).then(() => attempt(stop.signal));
    const turn: Turn = { stop, ended: running.then(nothing, nothing) };
    latest.set(taskId, turn);
    try {
      return await running;
    } finally {
      if (latest.get(taskId) === turn) latest.delete(taskId);
    }
  };
}

function nothing(): void {}
