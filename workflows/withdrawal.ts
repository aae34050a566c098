import { CancellationScope, condition, isCancellation, workflowInfo } from '@temporalio/workflow';
import type { RunControl, RunPolicy } from '../shared/domain/runs/run-model.ts';
import type { Completions } from './completions.ts';
import { recordKeeping } from './policies.ts';
import { measurementOfAttempt } from './summaries.ts';

export type Withdrawal = ReturnType<typeof createWithdrawal>;

/**
 * Takes measurements back that wait in the queue of their backend when the run is stopped. An instrument that measures one target
 * at a time may have minutes or hours of them in its queue. Measurements that a worker has taken go on to their end.
 */
export function createWithdrawal(stage: {
  policy: RunPolicy;
  control(): RunControl;
  /** Waits until what is due may be applied, like any other completion. */
  follow: Completions['follow'];
}) {
  const { policy, control, follow } = stage;
  /** The scopes of the measurements under way, by id. */
  const scopes = new Map<string, CancellationScope>();

  return {
    /**
     * Makes a measurement.
     * @returns null if it was taken back before its worker measured
     */
    async measuring<T>(id: string, measure: () => Promise<T>): Promise<T | null> {
      const outer = CancellationScope.current();
      const scope = new CancellationScope();
      scopes.set(id, scope);
      try {
        return await scope.run(measure);
      } catch (thrown) {
        if (!isCancellation(thrown) || outer.consideredCancelled) throw thrown;
        return null;
      } finally {
        scopes.delete(id);
      }
    },

    /** Waits for a stop of the run and then takes back what waits. Its scope is cancelled when the stage ends. */
    async afterStop(): Promise<void> {
      await follow(condition(() => control().stopping !== null && scopes.size > 0));
      const { workflowId, runId } = workflowInfo();
      const { ids } = await follow(
        recordKeeping(policy, 'look for measurements that no worker has taken').waitingMeasurements({
          workflow_id: workflowId,
          run_id: runId,
        }),
      );
      for (const id of ids) scopes.get(measurementOfAttempt(id))?.cancel();
    },
  };
}
