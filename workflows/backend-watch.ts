import { condition, sleep } from '@temporalio/workflow';
import { missingWorker } from '../shared/domain/executions/status-rules.ts';
import type { HeldRun, RunControl, RunPolicy } from '../shared/domain/runs/run-model.ts';
import type { Completions } from './completions.ts';
import { recordKeeping } from './policies.ts';
import { isHeldBack } from './run-control.ts';
import { showWait } from './shown-wait.ts';
import type { StageProgress } from './stage-progress.ts';

/**
 * Milliseconds without a result after which the stage checks whether its backend has a worker. They grow, so that the history
 * of a stage that waits for weeks stays small.
 */
const SILENCES = [20_000, 60_000, 300_000, 900_000];
const LAST_SILENCE = 3_600_000;
/** Index of the interval whose timer keeps running while results arrive. */
const BUSY = 1;

/** What the watch reads and updates. */
interface WatchedStage {
  progress: StageProgress;
  control(): RunControl;
  /** Waits until a completed timer may be applied, like any other completion. */
  follow: Completions['follow'];
}

/**
 * Shows, to operators and in the execution, since when results are missing because no worker serves the backend. Runs until its
 * scope is cancelled.
 */
export async function watchBackend(
  run: HeldRun,
  policy: RunPolicy,
  { progress, control, follow }: WatchedStage,
): Promise<void> {
  const records = recordKeeping(policy, `watch backend ${run.backend}`);
  for (let first = 0; ; first = BUSY) {
    await condition(() => !isHeldBack(control()));
    const seen = progress.answers();
    const since = new Date().toISOString();
    const goesOn = () => progress.answers() !== seen || isHeldBack(control());
    for (let look = first; !(await wentOn(goesOn, SILENCES[look] ?? LAST_SILENCE)); look += 1) {
      const { workers } = await follow(records.backendPresence({ backend: run.backend }));
      await note(workers === 0 ? { for: missingWorker(run.backend), since, kind: 'backend' } : null);
    }
    await note(null);
  }

  /**
   * Waits for one interval without results. Only a wait that is shown to users ends with the first result: cancelling a timer
   * for each result would cost two events.
   */
  async function wentOn(goesOn: () => boolean, silence: number): Promise<boolean> {
    const summary = `look after backend ${run.backend}`;
    if (progress.waiting()) return follow(condition(goesOn, silence, { summary }));
    await follow(sleep(silence, { summary }));
    return goesOn();
  }

  /** Writes only changes, because most stages never wait. */
  async function note(waiting: ReturnType<StageProgress['waiting']>): Promise<void> {
    // A wait for space is shown and ended elsewhere.
    if (progress.waiting()?.kind === 'disk') return;
    if ((progress.waiting() === null) === (waiting === null)) return;
    await showWait(waiting, { run, progress, follow, records });
  }
}
