import { CancellationScope, condition } from '@temporalio/workflow';

/** A completed operation that has not been applied yet. */
interface Arrival {
  /** Sequence number of the call to `follow` that waits for it. */
  order: number;
  apply(): void;
}

export type Completions = ReturnType<typeof createCompletions>;

/**
 * Applies completions of activities in an order that does not depend on how they are batched.
 *
 * When a workflow task is executed for the first time, each local activity resolves in its own activation. In a replay,
 * several completions may resolve in one activation, and the shorter promise chain continues first. Commands that follow
 * directly from completions could then differ in order from the recorded ones. So at most one local activity runs at a time,
 * all other completions wait for it, and completions of the same activation are applied in the order in which their operations
 * were started.
 *
 * @param runLocal runs one local activity for all waiting requests; resolves with a function that applies its answer
 */
export function createCompletions(runLocal: () => Promise<() => void>) {
  let calls = 0;
  let arrivals: Arrival[] = [];
  let localEnded: (() => void) | null = null;
  let localRuns = false;
  let hasLocalCall = false;

  const isDue = () => localEnded !== null || (!localRuns && (arrivals.length > 0 || hasLocalCall));

  function startLocal(): void {
    hasLocalCall = false;
    localRuns = true;
    void runLocal().then((apply) => {
      localEnded = apply;
    });
  }

  async function applyInOrder(): Promise<never> {
    for (;;) {
      await afterMicrotasks(isDue);
      if (localEnded) {
        const apply = localEnded;
        localEnded = null;
        localRuns = false;
        apply();
      }
      if (arrivals.length > 0) {
        const now = arrivals.sort((one, other) => one.order - other.order);
        arrivals = [];
        for (const { apply } of now) apply();
      } else if (hasLocalCall && !localRuns) startLocal();
    }
  }
  void new CancellationScope({ cancellable: false }).run(applyInOrder).catch(() => undefined);

  return {
    /** Waits for an operation and until its completion may be applied. Resolves and rejects as the operation does. */
    async follow<T>(operation: Promise<T>): Promise<T> {
      calls += 1;
      const order = calls;
      const end = await operation.then(
        (value) => ({ value }),
        (thrown: unknown) => ({ thrown }),
      );
      await new Promise<void>((resolve) => {
        arrivals.push({ order, apply: resolve });
      });
      if ('thrown' in end) throw end.thrown;
      return end.value;
    },

    /** Requests a local activity. `runLocal` is called when none is running and all completions have been applied. */
    requestLocal(): void {
      hasLocalCall = true;
    },
  };
}

/** Resolves when `isTrue` holds, but not before all microtasks of the current code have run. */
async function afterMicrotasks(isTrue: () => boolean): Promise<void> {
  // `condition` checks once when it is called. More operations may complete in the same activation.
  let isFirstLook = true;
  await condition(() => {
    if (isFirstLook) {
      isFirstLook = false;
      return false;
    }
    return isTrue();
  });
}
