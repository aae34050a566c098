import { CancellationScope, continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import type { RunControl, StageInput, StageOutcome } from '../shared/domain/runs/run-model.ts';
import { watchBackend } from './backend-watch.ts';
import { asFailure } from './failures.ts';
import { controlOf } from './message-input.ts';
import { recordKeeping } from './policies.ts';
import { createQuietNotice } from './quiet-notice.ts';
import { createRecordKeeping } from './record-keeping.ts';
import { controlSignal } from './signals.ts';
import { createSpaceWait } from './space-wait.ts';
import { openStep } from './stage-opening.ts';
import { createStageProgress } from './stage-progress.ts';
import { runStep } from './stage-step.ts';
import { createTargetQueue } from './target-queue.ts';
import { createTaskWait } from './task-wait.ts';
import { createWithdrawal } from './withdrawal.ts';

/**
 * Runs the tasks of one stage on its targets, one step of its schedule after another. It keeps a bounded number of targets in
 * flight, and continues as new when its history grows: between two steps if possible, otherwise after all activities in flight
 * have ended, because their results would be lost.
 */
export async function stage(input: StageInput): Promise<StageOutcome> {
  const { run, policy, index, name, resume } = input;
  const activities = recordKeeping(policy, `stage ${index} ${name}`);
  const records = createRecordKeeping(policy);
  let control: RunControl = input.control;
  const progress = createStageProgress(input, () => control);
  setHandler(
    controlSignal,
    (given) => {
      control = controlOf(given) ?? control;
      // The run has taken the chip back.
      run.epoch = control.epoch ?? run.epoch;
      progress.show();
    },
    { description: 'Only the run sends this to its stage. Pause, resume or stop the run instead.' },
  );

  const waiting = { run, policy, progress, control: () => control, follow: records.completions.follow };
  const quiet = createQuietNotice(waiting);
  const withdrawal = createWithdrawal(waiting);
  const shared = {
    run,
    stage: index,
    records,
    space: createSpaceWait(waiting),
    tasks: createTaskWait(waiting),
    withdrawal,
    onRecord: progress.add,
    parallel: input.parallel,
    historyLimit: policy.history_limit,
    control: () => control,
    quiet,
  };

  /** @returns where the next workflow run continues; null if the stage is done or stopped */
  async function runSteps(): Promise<Pick<NonNullable<StageInput['resume']>, 'step' | 'positions'> | null> {
    let positions = resume?.positions ?? null;
    for (let step = resume?.step ?? 0; ; step += 1) {
      const part = await openStep(input, step);
      progress.setTotal(part.targets * part.scopes.length);
      const queue = createTargetQueue(part.lanes, part.scopes, positions);
      await runStep(shared, part, queue);
      if (control.stopping) return null;
      positions = queue.positions();
      if (positions) return { step, positions };
      if (step + 1 >= part.steps) return null;
      if (workflowInfo().historyLength >= policy.history_limit / 2)
        return { step: step + 1, positions: null };
    }
  }

  const watching = new CancellationScope();
  const watched = watching
    .run(() => Promise.all([watchBackend(run, policy, waiting), quiet.tellRun(), withdrawal.afterRequests()]))
    .catch(() => undefined);
  let rest: Awaited<ReturnType<typeof runSteps>>;
  try {
    rest = await runSteps();
  } catch (thrown) {
    await CancellationScope.nonCancellable(() =>
      activities.closeStage({ run, stage: index, cancelled: true, stopped: null }),
    );
    throw asFailure(thrown);
  } finally {
    watching.cancel();
    await CancellationScope.nonCancellable(() => watched);
  }
  if (rest) {
    const { beganAt, counts } = progress;
    return continueAsNew<typeof stage>({
      ...input,
      control,
      resume: { ...rest, counts: counts(), began_at: beganAt },
    });
  }
  const stopped = control.stopping && { by: control.stopping.by };
  const outcome = await CancellationScope.nonCancellable(() =>
    activities.closeStage({ run, stage: index, cancelled: false, stopped }),
  );
  progress.leave(outcome);
  return outcome;
}
