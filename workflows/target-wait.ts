import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { Waiting } from '../shared/domain/executions/status-rules.ts';
import type { HeldRun, RunControl, RunPolicy } from '../shared/domain/runs/run-model.ts';
import type { Completions } from './completions.ts';
import { recordKeeping } from './policies.ts';
import { showWait } from './shown-wait.ts';
import type { StageProgress } from './stage-progress.ts';

/** What a wait of a stage's targets reads and updates. */
export interface WaitingStage {
  run: HeldRun;
  policy: RunPolicy;
  progress: StageProgress;
  control(): RunControl;
  follow: Completions['follow'];
}

/**
 * Lets targets of a stage wait for something that only an operator can provide. What they wait for is shown to operators and in the
 * execution from the first target that waits to the last.
 */
export function createTargetWait({ run, policy, progress, control, follow }: WaitingStage) {
  let waitingTargets = 0;
  const records = recordKeeping(policy, 'note what the run waits for');
  const show = (waiting: Waiting | null) => showWait(waiting, { run, progress, follow, records });

  /**
   * Waits, and shows it.
   * @returns false if the stage is stopped instead
   */
  return async (waiting: Omit<Waiting, 'since'>, wait: () => Promise<unknown>): Promise<boolean> => {
    waitingTargets += 1;
    if (waitingTargets === 1) await show({ ...waiting, since: new Date().toISOString() });
    try {
      const scope = new CancellationScope();
      const ending = scope.run(wait);
      // Nothing is measured any more by a stage that stops, so it need not wait.
      await Promise.race([ending, condition(() => control().stopping !== null)]);
      scope.cancel();
      await ending.catch((thrown: unknown) => {
        if (!isCancellation(thrown) || CancellationScope.current().consideredCancelled) throw thrown;
      });
      return control().stopping === null;
    } finally {
      waitingTargets -= 1;
      if (waitingTargets === 0) await show(null);
    }
  };
}
