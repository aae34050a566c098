import { CancellationScope, condition, sleep } from '@temporalio/workflow';
import type { HeldRun, RunControl, RunPolicy } from '../shared/domain/runs/run-model.ts';
import { has } from './patches.ts';
import { recordKeeping } from './policies.ts';
import type { StageProgress } from './stage-progress.ts';

/**
 * Milliseconds without a result after which the stage asks whether its backend has a worker. They grow, so that
 * a stage that waits for weeks keeps a small history.
 */
const SILENCES = [20_000, 60_000, 300_000, 900_000];
const LAST_SILENCE = 3_600_000;
/** Position among the silences of the timer that runs on while results come in. */
const BUSY = 1;

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
  const periodic = has('periodicWatch');
  const signs = periodic ? progress.answers : progress.records;
  for (let first = 0; ; first = periodic ? BUSY : 0) {
    await condition(() => control().paused === null);
    const seen = signs();
    const since = new Date().toISOString();
    const goesOn = () => signs() !== seen || control().paused !== null;
    for (let look = first; !(await wentOn(goesOn, SILENCES[look] ?? LAST_SILENCE)); look += 1) {
      const { workers } = await records.backendPresence({ backend: run.backend });
      await note(workers === 0 ? { for: `a worker for backend ${run.backend}`, since } : null);
    }
    await note(null);
  }

  /** Waits out a silence. Only a wait that people see ends with the first result: a timer that each ended costs two events. */
  async function wentOn(goesOn: () => boolean, silence: number): Promise<boolean> {
    if (!periodic) return condition(goesOn, silence);
    const summary = `look after backend ${run.backend}`;
    if (progress.waiting()) return condition(goesOn, silence, { summary });
    await sleep(silence, { summary });
    return goesOn();
  }

  /** Tells a change only: most stages never wait. */
  async function note(waiting: ReturnType<StageProgress['waiting']>): Promise<void> {
    if ((progress.waiting() === null) === (waiting === null)) return;
    progress.waitFor(waiting);
    // Not cancellable: a stage that continues as new or ends must leave no wait behind that is over.
    await CancellationScope.nonCancellable(() => records.noteWaiting({ run, waiting }));
  }
}
