/** Milliseconds after which a batch is sent even if the previous command has not ended. */
const LONGEST_WAIT = 20;

/**
 * Decides when batched requests are sent to the store: at the end of this turn of the event loop or, if a command is in
 * flight, when that command ends. Batches therefore grow with load, and a single caller does not wait. A command that
 * hangs delays the others by `LONGEST_WAIT` at most.
 */
export function createCommandTurns() {
  let underWay = 0;
  const waiting = new Map<() => void, NodeJS.Timeout>();

  return {
    /** Calls `send` when it is its turn. */
    schedule(send: () => void): void {
      if (underWay === 0) {
        setImmediate(send);
        return;
      }
      const late = setTimeout(() => {
        waiting.delete(send);
        send();
      }, LONGEST_WAIT);
      waiting.set(send, late);
    },

    /** Runs a command; waiting batches are sent when no command is in flight any more. */
    async carryOut<T>(command: () => Promise<T>): Promise<T> {
      underWay += 1;
      try {
        return await command();
      } finally {
        underWay -= 1;
        if (underWay === 0) {
          for (const [send, late] of waiting) {
            clearTimeout(late);
            setImmediate(send);
          }
          waiting.clear();
        }
      }
    },
  };
}
