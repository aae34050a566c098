import {
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { OpenStageOutput } from '../activities/contracts/steps.ts';
import type { RunControl, StageInput, StageOutcome } from '../shared/domain/runs/run-model.ts';
import { watchBackend } from './backend-watch.ts';
import { asFailure } from './failures.ts';
import { controlOf } from './message-input.ts';
import { locallyOrNot, recordKeeping } from './policies.ts';
import { createQuietNotice } from './quiet-notice.ts';
import { createRecordKeeping } from './record-keeping.ts';
import { isHeldBack } from './run-control.ts';
import { controlSignal } from './signals.ts';
import { createSpaceWait } from './space-wait.ts';
import { createStageProgress } from './stage-progress.ts';
import { createTargetQueue } from './target-queue.ts';
import { runTargets, type TargetsRun } from './targets.ts';
import { createTaskWait } from './task-wait.ts';

/** Measured: 7 events for a task alone, 12 if its record is a normal activity, 5 to 7 if completions arrive together. */
const EVENTS_OF_A_TASK = 10;

type TargetQueue = ReturnType<typeof createTargetQueue>;

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
  const space = createSpaceWait(waiting);
  const tasks = createTaskWait(waiting);

  async function openFrom(step: number, lane: number): Promise<OpenStageOutput> {
    const part = { run, stage: index, step, lane };
    return locallyOrNot(
      (local) => local.openStage(part),
      () => activities.openStage(part),
    );
  }

  /** A step with all its lanes. */
  async function open(step: number): Promise<OpenStageOutput> {
    const first = await openFrom(step, 0);
    const lanes = [...first.lanes];
    for (let lane = first.next; lane !== null; ) {
      const more = await openFrom(step, lane);
      lanes.push(...more.lanes);
      lane = more.next;
    }
    return { ...first, lanes };
  }

  async function runStep({ lanes, scopes }: OpenStageOutput, queue: TargetQueue): Promise<void> {
    const inFlight = Math.max(1, Math.min(input.parallel, lanes.length));
    const draining = () => isLong(policy.history_limit, inFlight);
    const context: TargetsRun = {
      run,
      stage: index,
      scopes,
      records,
      space,
      tasks,
      holdsBack: () => draining() || isHeldBack(control) || control.stopping !== null,
      onRecord: progress.add,
    };

    async function worker(): Promise<void> {
      for (;;) {
        await condition(() => !isHeldBack(control) || control.stopping !== null);
        if (draining() || control.stopping) return;
        const work = queue.take();
        if (work) {
          const measured = quiet.whileMeasuring(() => runTargets(context, work.targets, work.index));
          queue.done(work, await measured);
        } else if (queue.busy()) await condition(() => !queue.busy() || queue.ready());
        else return;
      }
    }

    await CancellationScope.cancellable(async () => {
      const scope = CancellationScope.current();
      const failures: unknown[] = [];
      const workers = Array.from({ length: inFlight }, () =>
        worker().catch((thrown: unknown) => {
          failures.push(thrown);
          scope.cancel();
        }),
      );
      // Waits for all of them even if one fails: a stage must not close while an instrument runs.
      await Promise.all(workers);
      // The first failure is the cause; the others were cancelled because of it.
      if (failures.length > 0) throw failures[0];
      // A cancellation during the last records throws nowhere else, and would be lost when the stage continues as new.
      if (scope.consideredCancelled) throw new CancelledFailure('cancelled');
    });
  }

  /** @returns where the next workflow run continues; null if the stage is done or stopped */
  async function runSteps(): Promise<Pick<NonNullable<StageInput['resume']>, 'step' | 'positions'> | null> {
    let positions = resume?.positions ?? null;
    for (let step = resume?.step ?? 0; ; step += 1) {
      const part = await open(step);
      progress.setTotal(part.targets * part.scopes.length);
      const queue = createTargetQueue(part.lanes, part.scopes, positions);
      await runStep(part, queue);
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
    .run(() => Promise.all([watchBackend(run, policy, waiting), quiet.tellRun()]))
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

/** Whether the history is too long to start more measurements. Those in flight still add their events. */
function isLong(limit: number, inFlight: number): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return continueAsNewSuggested || historyLength >= Math.max(limit / 4, limit - EVENTS_OF_A_TASK * inFlight);
}
