import {
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { addCounts, noCounts } from '../shared/executions/rules.ts';
import type { RunProgress, StageInput, StageOutcome } from '../shared/executions/run.ts';
import { asFailure } from './failures.ts';
import { recordKeeping } from './policies.ts';
import { progressQuery } from './queries.ts';
import { createTargetQueue } from './target-queue.ts';
import { runTargets } from './targets.ts';

/** Milliseconds without a result after which the stage asks, again and again, whether its backend has a worker. */
const SILENCES = [20_000, 60_000];
const LAST_SILENCE = 300_000;

/** Measured: 12 events for a task alone, 7 where completions arrive together. */
const EVENTS_OF_A_TASK = 10;

/**
 * Tasks × targets of one stage. Keeps a bounded number of targets in flight and continues as new, after
 * draining what is in flight, when its history grows: an activity in flight then would lose its result.
 */
export async function stage(input: StageInput): Promise<StageOutcome> {
  const { run, policy, index, name } = input;
  const records = recordKeeping(policy, `stage ${index} ${name}`);
  const { targets, scopes } = await records.openStage({ run, stage: index });
  const total = targets.length * scopes.length;
  let counts = input.resume?.counts ?? { ...noCounts, total };
  const queue = createTargetQueue(targets, scopes, input.resume?.positions);
  let waitingFor: string | null = null;
  let results = 0;
  let ended = false;

  const progress = (): RunProgress => ({
    stage: name,
    done: counts.completed,
    failed: counts.failed,
    skipped: counts.skipped,
    total,
    waiting_for: waitingFor,
  });
  const show = () => {
    const waiting = waitingFor ? `\n\nWaiting for: ${waitingFor}` : '';
    setCurrentDetails(
      `Stage ${index} ${name}: ${counts.completed} done, ${counts.failed} failed, ${counts.skipped} skipped of ${total}.${waiting}`,
    );
  };
  setHandler(progressQuery, progress);
  show();

  const inFlight = Math.max(1, Math.min(input.parallel, targets.length));
  // What is in flight still adds its events while the stage drains.
  const drainAt = Math.max(policy.history_limit / 4, policy.history_limit - EVENTS_OF_A_TASK * inFlight);
  const draining = () => {
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    return continueAsNewSuggested || historyLength >= drainAt;
  };
  const context = {
    run,
    policy,
    stage: index,
    scopes,
    draining,
    onRecord(record: { completed: number; failed: number; skipped: number }) {
      counts = addCounts(counts, { ...record, cancelled: 0, total: 0 });
      results += 1;
      waitingFor = null;
      show();
    },
  };

  async function worker(): Promise<void> {
    while (!draining()) {
      const work = queue.take();
      if (work) queue.done(work, await runTargets(context, work.targets, work.index));
      else if (queue.busy()) await condition(() => !queue.busy() || queue.ready());
      else return;
    }
  }

  /** Says in the operators' view since when results stay out because no worker serves the backend. */
  async function watch(): Promise<void> {
    while (!ended) {
      const seen = results;
      const since = new Date();
      const goesOn = () => ended || results !== seen;
      for (let look = 0; !(await condition(goesOn, SILENCES[look] ?? LAST_SILENCE)); look += 1) {
        const { workers } = await records.backendPresence({ backend: run.backend });
        const clock = since.toISOString().slice(11, 16);
        waitingFor = workers === 0 ? `a worker for backend ${run.backend} since ${clock} UTC` : null;
        show();
      }
    }
  }

  const watching = new CancellationScope();
  const watched = watching.run(watch).catch(() => undefined);
  try {
    await CancellationScope.cancellable(async () => {
      const scope = CancellationScope.current();
      const failures: unknown[] = [];
      const workers = Array.from({ length: inFlight }, () =>
        worker().catch((thrown: unknown) => {
          failures.push(thrown);
          scope.cancel();
        }),
      );
      // All are awaited even when one fails: a stage must not close while an instrument runs.
      await Promise.all(workers);
      // The first in time is the cause; the others were only cancelled by it.
      if (failures.length > 0) throw failures[0];
      // A cancel during the last records throws nowhere else, and the next run of the chain would not know of it.
      if (scope.consideredCancelled) throw new CancelledFailure('cancelled');
    });
  } catch (thrown) {
    await CancellationScope.nonCancellable(() => records.closeStage({ run, stage: index, cancelled: true }));
    throw asFailure(thrown);
  } finally {
    ended = true;
    watching.cancel();
    await CancellationScope.nonCancellable(() => watched);
  }
  const positions = queue.positions();
  if (Object.keys(positions).length > 0) {
    return continueAsNew<typeof stage>({ ...input, resume: { positions, counts } });
  }
  return CancellationScope.nonCancellable(() => records.closeStage({ run, stage: index, cancelled: false }));
}
