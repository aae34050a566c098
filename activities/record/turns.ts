/** All steps: the queue in which the steps of all users take turns. */
import { createFairQueue } from '../../shared/kernel/fair-queue.ts';
import type { CalibrationActivities } from '../contracts/runs.ts';
import { shareOfRun } from './share.ts';

export interface RecordTurnOptions {
  /** Steps of one user that a process carries out at the same time. Default 8: enough to keep store and fits busy. */
  perUser?: number;
  /**
   * The same while other users also have steps. Default 1: with 2, ten runs of one user recorded no more tasks per second on two
   * cores, and another user's run took twice as long.
   */
  perUserShared?: number;
  /** Steps of all users together. Default 24. */
  atOnce?: number;
}

/**
 * Lets users take turns with their steps of record keeping. All steps of a process share one event loop, so that each
 * further one slows down those under way: a user's many runs have as many steps at once as one run.
 */
export function inFairTurns(
  record: CalibrationActivities['record'],
  { perUser = 8, perUserShared = 1, atOnce = 24 }: RecordTurnOptions = {},
): CalibrationActivities['record'] {
  const queue = createFairQueue({
    atOnce,
    atOncePerUser: perUser,
    atOncePerUserShared: perUserShared,
  });
  return (step) => queue.run(shareOfRun(step.run), () => record(step));
}
