/** Milliseconds after which a command is sent although the one before it has not ended. */
const LONGEST_WAIT = 20;

/**
 * When gathered requests go to the store: at the end of this turn of the event loop, or, while one of their commands is
 * under way, once it has ended. The more there is to do, the more goes with one command; who is alone does not wait, and
 * a command that hangs holds up the others for `LONGEST_WAIT`.
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

    /** Carries out a command, which those that wait follow. */
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
