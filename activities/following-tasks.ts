import type { Areas } from '../shared/domain/areas.ts';
import type { MeasureAndRecordInput } from './contract.ts';

/**
 * Milliseconds that a measurement may take at most for its activity to go on with the next task: to be an activity costs a
 * task that is quicker as much as itself. A slower one has its own, which operators see.
 */
const QUICK = 100;
/** Milliseconds after which an activity goes on with no further task, so that its stage tells how far it is. */
const GOES_ON_FOR = 1000;

/** Which of the tasks that follow its first an activity goes on with. */
export interface FollowingTasks {
  /**
   * @param took milliseconds of the measurement before it
   * @returns the id of the next task, undefined where the activity ends before it
   * @throws Error when the store cannot tell whether it was begun
   */
  next(took: number): Promise<string | undefined>;
  /** The task that `next` told is being brought to its end. */
  begin(): void;
}

/**
 * At first an activity goes on while its tasks are quick and nobody asked the run to begin none. Asked for again, it
 * brings to its end what was begun, also in a run that is paused since, as nobody comes back to it; and begins nothing more.
 * @param again whether it was asked for before
 * @param signal on which it begins nothing more
 */
export function followingTasks(
  { executions, results }: Pick<Areas, 'executions' | 'results'>,
  { run, following = [] }: Pick<MeasureAndRecordInput, 'run' | 'following'>,
  { again, signal }: { again: boolean; signal: AbortSignal },
): FollowingTasks {
  const begunAt = performance.now();
  const ids = [...following];

  function isHeldBack(): Promise<boolean> {
    // A run of which nobody can tell begins nothing.
    return executions.store.isHeldBack(run.project_id, run.execution_id).catch(() => true);
  }

  return {
    async next(took) {
      const [id] = ids;
      if (id === undefined) return undefined;
      if (again) return (await results.get(run.project_id, id)) ? id : undefined;
      if (signal.aborted || took > QUICK || performance.now() - begunAt > GOES_ON_FOR) return undefined;
      return (await isHeldBack()) ? undefined : id;
    },
    begin() {
      ids.shift();
    },
  };
}
