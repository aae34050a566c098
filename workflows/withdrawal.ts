import { CancellationScope, condition, workflowInfo } from '@temporalio/workflow';
import type { RunControl, RunPolicy } from '../shared/domain/runs/run-model.ts';
import type { Completions } from './completions.ts';
import { recordKeeping } from './policies.ts';
import { isHeldBack } from './run-control.ts';
import { measurementOfAttempt } from './summaries.ts';

export type Withdrawal = ReturnType<typeof createWithdrawal>;

/** A measurement under way. */
interface UnderWay {
  scope: CancellationScope;
  /** Whether it can be prepared again when the run continues. */
  isRepeatable: boolean;
}

/**
 * Takes measurements back that wait in the queue of their backend when the run is stopped, paused, or lends its chip. An instrument
 * that measures one target at a time may have minutes or hours of them in its queue. Measurements that a worker has taken go on to
 * their end.
 */
export function createWithdrawal(stage: {
  policy: RunPolicy;
  control(): RunControl;
  /** Waits until what is due may be applied, like any other completion. */
  follow: Completions['follow'];
}) {
  const { policy, control, follow } = stage;
  /** The measurements under way, by id. */
  const underWay = new Map<string, UnderWay>();
  const isStopped = () => control().stopping !== null;

  /** Measurements that may be taken back now. */
  function withdrawable(): [string, UnderWay][] {
    if (isStopped()) return [...underWay];
    return isHeldBack(control()) ? [...underWay].filter(([, { isRepeatable }]) => isRepeatable) : [];
  }

  /** Takes back what no worker has taken, unless the run continues meanwhile. */
  async function takeBack(): Promise<void> {
    const { workflowId, runId } = workflowInfo();
    const { ids } = await follow(
      recordKeeping(policy, 'look for measurements that no worker has taken').waitingMeasurements({
        workflow_id: workflowId,
        run_id: runId,
      }),
    );
    const waiting = new Set(ids.map(measurementOfAttempt));
    for (const [id, { scope }] of withdrawable()) if (waiting.has(id)) scope.cancel();
  }

  return {
    /**
     * Makes a measurement.
     * @returns null if it was taken back before its worker measured
     */
    async measuring<T>(id: string, isRepeatable: boolean, measure: () => Promise<T>): Promise<T | null> {
      const outer = CancellationScope.current();
      const scope = new CancellationScope();
      underWay.set(id, { scope, isRepeatable });
      try {
        return await scope.run(measure);
      } catch (thrown) {
        // A worker that takes it at that moment may answer with an error of its own.
        if (!scope.consideredCancelled || outer.consideredCancelled) throw thrown;
        return null;
      } finally {
        underWay.delete(id);
      }
    },

    /** Whether tasks whose measurement was taken back are prepared again later. */
    mayContinue: () => !isStopped(),

    /** Takes measurements back once after each request that holds the run. Its scope is cancelled when the stage ends. */
    async afterRequests(): Promise<void> {
      for (;;) {
        await follow(condition(() => withdrawable().length > 0));
        const isLast = isStopped();
        await takeBack();
        if (isLast) return;
        await follow(condition(() => isStopped() || !isHeldBack(control())));
      }
    },
  };
}
