/** Milliseconds between checks of a computing thread. */
const LOOK = 100;

/**
 * Watches a thread while it computes.
 * @param fail called with the reason when the thread takes too long; the watch goes on until it is ended
 */
export function createThreadWatch(fail: (reason: Error) => void) {
  let watching: NodeJS.Timeout | undefined;

  /** Checks the thread repeatedly. This check replaces the one before. */
  function watch(isOver: () => Error | null): void {
    clearInterval(watching);
    const mine = setInterval(() => {
      // If this process itself was blocked, it first handles messages that the thread has sent meanwhile.
      setImmediate(() => {
        const failure = watching === mine ? isOver() : null;
        if (failure !== null) fail(failure);
      });
    }, LOOK);
    watching = mine;
  }

  return {
    watch,

    /** Fails with this message after a time, whatever the thread has computed. */
    watchClock(milliseconds: number, message: string): void {
      const limit = performance.now() + milliseconds;
      watch(() => (performance.now() > limit ? new Error(message) : null));
    },

    end(): void {
      clearInterval(watching);
      watching = undefined;
    },
  };
}
