import { ApplicationFailure, sleep } from '@temporalio/workflow';
import { diskProblemOf } from '../shared/kernel/disk-errors.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { recordKeeping } from './policies.ts';
import { createTargetWait, type WaitingStage } from './target-wait.ts';

/** Milliseconds before a measurement is repeated that failed because a disk was full. The last pause repeats. */
const PAUSES = [5_000, 15_000, 60_000, 300_000];
/** Repeats of such a measurement, which take three hours: the disk may be the backend's own, which we do not monitor. */
const MAX_REPEATS = 40;

export type SpaceWait = ReturnType<typeof createSpaceWait>;

/** Lets measurements wait while a disk takes no more data. */
export function createSpaceWait(stage: WaitingStage) {
  const { policy, follow } = stage;
  const wait = createTargetWait(stage);
  const whileShown = (shortage: string, until: () => Promise<unknown>) =>
    wait({ for: `space: ${shortage}`, kind: 'disk' }, until);

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
      repeats < MAX_REPEATS ? spaceProblemOf(cause) : null,

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
