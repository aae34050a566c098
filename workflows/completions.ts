import { CancellationScope, condition } from '@temporalio/workflow';

/** Something that completed and has not been applied yet. */
interface Arrival {
  /** Number of the call to `follow` that waits for it. */
  order: number;
  apply(): void;
}

export type Completions = ReturnType<typeof createCompletions>;

/**
 * Applies completions of activities in an order that does not depend on how they are batched.
 *
 * While a workflow task is executed, each local activity resolves in an activation of its own; when the task is replayed,
 * several completions may resolve in one activation, where the shorter chain of promises continues first. Commands that
 * follow directly from completions would then come in another order than the recorded one. So here at most one local
 * activity runs at a time, everything else that completes meanwhile waits for it, and what completed together is applied
 * in the order in which it was started.
 *
 * @param runLocal runs a local activity for all that waits for one by now; resolves with what applies its answer
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
    /** Waits for an operation, and for the turn of its completion. Resolves and rejects as the operation does. */
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

    /** Asks for a local activity: `runLocal` is called when none runs and all that completed has been applied. */
    requestLocal(): void {
      hasLocalCall = true;
    },
  };
}

/** Resolves once `isTrue` holds, but never before the code that runs now has come to rest. */
async function afterMicrotasks(isTrue: () => boolean): Promise<void> {
  // `condition` looks once at the time of the call, when more may be about to complete.
  let isFirstLook = true;
  await condition(() => {
    if (isFirstLook) {
      isFirstLook = false;
      return false;
    }
    return isTrue();
  });
}
