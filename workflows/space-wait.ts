import {
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
  sleep,
} from '@temporalio/workflow';
import type { Waiting } from '../shared/domain/executions/status-rules.ts';
import type { HeldRun, RunControl, RunPolicy } from '../shared/domain/runs/run-model.ts';
import { diskProblemOf } from '../shared/kernel/disk-errors.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import type { Completions } from './completions.ts';
import { recordKeeping } from './policies.ts';
import { showWait } from './shown-wait.ts';
import type { StageProgress } from './stage-progress.ts';

/** Milliseconds before a measurement is repeated that failed for want of space. The last pause repeats. */
const PAUSES = [5_000, 15_000, 60_000, 300_000];
/** Repeats of such a measurement, which take three hours: this disk may be the backend's own, which nobody watches. */
const MOST_REPEATS = 40;

export type SpaceWait = ReturnType<typeof createSpaceWait>;

/** What a stage's wait for space reads and updates. */
interface WaitingStage {
  progress: StageProgress;
  control(): RunControl;
  follow: Completions['follow'];
}

/**
 * Lets measurements wait while a disk takes no more data. What the stage waits for is shown to operators and in the execution from
 * the first target that waits to the last.
 */
export function createSpaceWait(
  run: HeldRun,
  policy: RunPolicy,
  { progress, control, follow }: WaitingStage,
) {
  let waitingTargets = 0;
  const records = recordKeeping(policy, 'note what the run waits for');

  const show = (waiting: Waiting | null) => showWait(waiting, { run, progress, follow, records });

  async function whileShown(shortage: string, wait: () => Promise<unknown>): Promise<boolean> {
    waitingTargets += 1;
    if (waitingTargets === 1)
      await show({ for: `space: ${shortage}`, since: new Date().toISOString(), kind: 'disk' });
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
  }

  const untilThere = (label: string) =>
    follow(
      recordKeeping(policy, { summary: `${label}: wait for space`, id: `space · ${label}` }).awaitSpace(),
    );

  return {
    /**
     * Waits until there is space for the result of the next measurement.
     * @returns false if the stage is stopped instead
     */
    beforeMeasuring: (label: string, shortage: string): Promise<boolean> =>
      whileShown(shortage, () => untilThere(label)),

    /**
     * Which disk of the measuring worker takes no more data, if an attempt failed for that and may be repeated.
     * @param repeats repeats before this attempt for the same reason
     */
    shortageIn: (cause: unknown, repeats: number): string | null =>
      repeats < MOST_REPEATS ? spaceProblemOf(cause) : null,

    /**
     * Waits after such an attempt.
     * @returns false if the stage is stopped instead
     */
    afterFailure(label: string, shortage: string, repeats: number): Promise<boolean> {
      const pause = PAUSES[Math.min(repeats, PAUSES.length - 1)] ?? 0;
      return whileShown(shortage, async () => {
        await follow(sleep(pause, { summary: `${label}: wait for space` }));
        await untilThere(label);
      });
    },
  };
}

/** Which disk of the measuring worker takes no more data, if this is why it failed. */
function spaceProblemOf(cause: unknown): string | null {
  if (!(cause instanceof ApplicationFailure)) return null;
  const problem = diskProblemOf(cause.message);
  if (problem === null && cause.type !== failureTypes.outOfSpace) return null;
  return `the backend reports that a disk ${problem ?? 'takes no more data'} (${cause.message.slice(0, 200)})`;
}
