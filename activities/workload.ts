import { setTimeout as wait } from 'node:timers/promises';

/** Milliseconds without work after which a process counts as idle. Longer than the gaps between the tasks of a run. */
const QUIET = 2000;

export type Workload = ReturnType<typeof createWorkload>;

/** Counts the work of a process for runs: measurements, and record-keeping steps with their fits. */
export function createWorkload({ quietMs = QUIET }: { quietMs?: number } = {}) {
  let underWay = 0;
  let lastEnd = Number.NEGATIVE_INFINITY;
  let allEnded = Promise.resolve();
  let noteAllEnded = () => {};

  function begin(): void {
    underWay += 1;
    if (underWay > 1) return;
    allEnded = new Promise((resolve) => {
      noteAllEnded = resolve;
    });
  }

  function end(): void {
    underWay -= 1;
    if (underWay > 0) return;
    lastEnd = performance.now();
    noteAllEnded();
  }

  return {
    /** Wraps a function so that its calls count as work. */
    counted<Given extends unknown[], Result>(
      work: (...given: Given) => Promise<Result>,
    ): (...given: Given) => Promise<Result> {
      return async (...given) => {
        begin();
        try {
          return await work(...given);
        } finally {
          end();
        }
      };
    },

    /** Resolves when there has been no work for a while; rejects if the signal is aborted. */
    async untilIdle(signal: AbortSignal): Promise<void> {
      for (;;) {
        signal.throwIfAborted();
        const left = lastEnd + quietMs - performance.now();
        if (underWay > 0) await endedOrAborted(allEnded, signal);
        else if (left > 0) await wait(left, undefined, { signal, ref: false });
        else return;
      }
    },
  };
}

function endedOrAborted(ended: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const leave = () => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    signal.addEventListener('abort', leave);
    void ended.then(leave);
  });
}
