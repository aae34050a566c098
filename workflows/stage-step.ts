import { CancellationScope, CancelledFailure, condition, workflowInfo } from '@temporalio/workflow';
import type { OpenStageOutput } from '../activities/contracts/steps.ts';
import type { RunControl } from '../shared/domain/runs/run-model.ts';
import type { createQuietNotice } from './quiet-notice.ts';
import { isHeldBack } from './run-control.ts';
import type { createTargetQueue } from './target-queue.ts';
import { runTargets, type TargetsRun } from './targets.ts';

/** Measured: 7 events for a task alone, 12 if its record is a normal activity, 5 to 7 if completions arrive together. */
const EVENTS_OF_A_TASK = 10;

/** What the steps of a stage share. */
export interface StepRun extends Omit<TargetsRun, 'scopes' | 'holdsBack'> {
  /** Maximum number of targets in flight. */
  parallel: number;
  /** Number of history events after which the stage continues as new. */
  historyLimit: number;
  control(): RunControl;
  quiet: ReturnType<typeof createQuietNotice>;
}

/** Measures the targets of a step until all are done, the run is stopped, or the history is long. */
export async function runStep(
  { parallel, historyLimit, control, quiet, ...shared }: StepRun,
  { lanes, scopes }: Pick<OpenStageOutput, 'lanes' | 'scopes'>,
  queue: ReturnType<typeof createTargetQueue>,
): Promise<void> {
  const inFlight = Math.max(1, Math.min(parallel, lanes.length));
  const draining = () => isLong(historyLimit, inFlight);
  const context: TargetsRun = {
    ...shared,
    scopes,
    holdsBack: () => draining() || isHeldBack(control()) || control().stopping !== null,
  };

  /** Measures targets one after another. */
  async function worker(): Promise<void> {
    for (;;) {
      await condition(() => !isHeldBack(control()) || control().stopping !== null);
      if (draining() || control().stopping) return;
      const work = queue.take();
      if (work) {
        const measured = quiet.whileMeasuring(() => runTargets(context, work.targets, work.index));
        queue.done(work, await measured);
      } else if (queue.busy()) await condition(() => !queue.busy() || queue.ready());
      else return;
    }
  }

  await CancellationScope.cancellable(async () => {
    const scope = CancellationScope.current();
    const failures: unknown[] = [];
    const workers = Array.from({ length: inFlight }, () =>
      worker().catch((thrown: unknown) => {
        failures.push(thrown);
        scope.cancel();
      }),
    );
    // Waits for all of them even if one fails: a stage must not close while an instrument runs.
    await Promise.all(workers);
    // The first failure is the cause; the others were cancelled because of it.
    if (failures.length > 0) throw failures[0];
    // A cancellation during the last records throws nowhere else, and would be lost when the stage continues as new.
    if (scope.consideredCancelled) throw new CancelledFailure('cancelled');
  });
}

/** Whether the history is too long to start more measurements. Those in flight still add their events. */
function isLong(limit: number, inFlight: number): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return continueAsNewSuggested || historyLength >= Math.max(limit / 4, limit - EVENTS_OF_A_TASK * inFlight);
}
