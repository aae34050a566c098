/** How long a run takes, judged by earlier runs of the same request and by its own pace. */

import { median } from '../../kernel/median.ts';

/** A completed run of the same request. */
export interface EarlierRun {
  /** Without waits for the lock, for people and for resources. */
  seconds: number;
  /** Tasks that it measured or skipped. */
  tasks: number;
}

export interface Expectation {
  seconds: number;
  tasks: number;
}

/** What earlier runs let expect: medians, so that a single run that stood still does not count. Null without any. */
export function expectationOf(earlier: readonly EarlierRun[]): Expectation | null {
  if (earlier.length === 0) return null;
  return {
    seconds: median(earlier.map((run) => run.seconds)),
    tasks: median(earlier.map((run) => run.tasks)),
  };
}

/**
 * Seconds that a run takes as a whole, without waits. Its own pace counts as much as it has progressed: nothing at its start,
 * everything when all expected tasks have ended.
 * @param own seconds that the run has worked, and its tasks that have ended
 */
export function expectedSeconds(
  { seconds, tasks }: Expectation,
  own: { seconds: number; tasks: number },
): number {
  const progress = tasks > 0 ? Math.min(1, own.tasks / tasks) : 0;
  const byPace = progress > 0 ? own.seconds / progress : 0;
  return Math.max(own.seconds, (1 - progress) * seconds + progress * byPace);
}
