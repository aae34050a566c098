import { CancellationScope, condition } from '@temporalio/workflow';
import type { HeldRun, RunControl, RunPolicy } from '../shared/domain/runs/run.ts';
import { recordKeeping } from './policies.ts';
import type { StageProgress } from './stage-progress.ts';

/**
 * Milliseconds without a result after which the stage asks whether its backend has a worker. They grow, so that
 * a stage that waits for weeks keeps a small history.
 */
const SILENCES = [20_000, 60_000, 300_000, 900_000];
const LAST_SILENCE = 3_600_000;

/**
 * Says, to operators and in the execution, since when results stay out because no worker serves the backend.
 * Goes on until its scope is cancelled.
 */
export async function watchBackend(
  run: HeldRun,
  policy: RunPolicy,
  progress: StageProgress,
  control: () => RunControl,
): Promise<void> {
  const records = recordKeeping(policy, `watch backend ${run.backend}`);
  for (;;) {
    await condition(() => control().paused === null);
    const seen = progress.records();
    const since = new Date().toISOString();
    const goesOn = () => progress.records() !== seen || control().paused !== null;
    for (let look = 0; !(await condition(goesOn, SILENCES[look] ?? LAST_SILENCE)); look += 1) {
      const { workers } = await records.backendPresence({ backend: run.backend });
      await note(workers === 0 ? { for: `a worker for backend ${run.backend}`, since } : null);
    }
    await note(null);
  }

  /** Tells a change only: most stages never wait. */
  async function note(waiting: ReturnType<StageProgress['waiting']>): Promise<void> {
    if ((progress.waiting() === null) === (waiting === null)) return;
    progress.waitFor(waiting);
    // Not cancellable: a stage that continues as new or ends must leave no wait behind that is over.
    await CancellationScope.nonCancellable(() => records.noteWaiting({ run, waiting }));
  }
}
