import {
  CancellationScope,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { addCounts, noCounts } from '../shared/executions/rules.ts';
import type { RunProgress, StageInput, StageOutcome } from '../shared/executions/run.ts';
import { recordKeeping } from './policies.ts';
import { progressQuery } from './signals.ts';
import { createTargetQueue } from './target-queue.ts';
import { runTargets } from './targets.ts';

/** Milliseconds without a result after which the stage asks whether its backend has a worker at all. */
const SILENCE = 20_000;

/** Measured: 12 events for a task alone, 7 where completions arrive together. */
const EVENTS_OF_A_TASK = 10;

/**
 * Tasks × targets of one stage. Keeps a bounded number of targets in flight and continues as new, after
 * draining what is in flight, when its history grows: an activity in flight then would lose its result.
 */
export async function stage(input: StageInput): Promise<StageOutcome> {
  const { run, policy, index, name } = input;
  const records = recordKeeping(policy);
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

  /** Says in the operators' view when results stay out because no worker serves the backend. */
  async function watch(): Promise<void> {
    while (!ended) {
      const seen = results;
      if (await condition(() => ended || results !== seen, SILENCE)) continue;
      const { workers } = await records.backendPresence({ backend: run.backend });
      waitingFor = workers === 0 ? `a worker for backend ${run.backend}` : null;
      show();
      await condition(() => ended || results !== seen);
    }
  }

  const watching = new CancellationScope();
  const watched = watching.run(watch).catch(() => undefined);
  try {
    await CancellationScope.cancellable(async () => {
      const scope = CancellationScope.current();
      const workers = Array.from({ length: inFlight }, () =>
        worker().catch((thrown: unknown) => {
          scope.cancel();
          throw thrown;
        }),
      );
      // All are awaited even when one fails: a stage must not close while an instrument runs.
      const settled = await Promise.allSettled(workers);
      const failure = settled.find((each) => each.status === 'rejected');
      if (failure) throw failure.reason;
    });
  } catch (thrown) {
    await CancellationScope.nonCancellable(() => records.closeStage({ run, stage: index, cancelled: true }));
    throw thrown;
  } finally {
    ended = true;
    watching.cancel();
    await CancellationScope.nonCancellable(() => watched);
  }
  const positions = queue.positions();
  if (Object.keys(positions).length > 0) {
    return continueAsNew<typeof stage>({ ...input, resume: { positions, counts } });
  }
  return records.closeStage({ run, stage: index, cancelled: false });
}
