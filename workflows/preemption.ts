/** Lets runs with a higher priority use the chip between the measurements of a long run, which keeps the project. */
import { HandlerUnfinishedPolicy } from '@temporalio/common';
import {
  CancellationScope,
  type ChildWorkflowHandle,
  condition,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  setHandler,
  startChild,
  type Workflow,
} from '@temporalio/workflow';
import { type LentSpan, preemptionProblem, secondsLeft } from '../shared/domain/runs/preemption-rules.ts';
import type { HeldRun, PreemptingRun, PreemptionPolicy, RunPolicy } from '../shared/domain/runs/run-model.ts';
import { runAttributes } from '../shared/domain/runs/search-attribute-rules.ts';
import { calibrationRun, singleTaskRun } from '../shared/domain/runs/workflow-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { shareOfUser } from '../shared/kernel/engine/shares.ts';
import { runSummary } from '../shared/kernel/engine/summaries.ts';
import { runWorkflowId } from '../shared/kernel/engine/workflow-ids.ts';
import { preemptingRunOf } from './message-input.ts';
import { recordKeeping } from './policies.ts';
import type { RunController } from './run-control.ts';
import { refusal } from './run-requests.ts';
import { stageQuietSignal } from './signals.ts';
import { preemptUpdate } from './updates.ts';

/** The parts of a run between which another one may use the chip. */
export interface Preemption {
  /** Runs the whole run. It ends after the run that uses the chip in between. */
  during<T>(body: () => Promise<T>): Promise<T>;
  /** Runs a step that needs the lock of the project. */
  alone<T>(step: () => Promise<T>): Promise<T>;
  /** Runs a stage, which says itself when it measures nothing. */
  inStage<T>(stage: () => Promise<T>): Promise<T>;
}

const never: Preemption = {
  during: (body) => body(),
  alone: (step) => step(),
  inStage: (stage) => stage(),
};

/** Without a policy, the run is never preempted. Call this before the run first waits. */
export function createPreemption(run: HeldRun, policy: RunPolicy, controller: RunController): Preemption {
  return policy.preemption ? preemptible(run, policy, policy.preemption, controller) : never;
}

function preemptible(
  run: HeldRun,
  policy: RunPolicy,
  limits: PreemptionPolicy,
  controller: RunController,
): Preemption {
  const body = new CancellationScope();
  const lent: LentSpan[] = [];
  let lentTo: string | null = null;
  let failure: unknown;
  let isEnding = false;
  let stepsAlone = 0;
  let stageRuns = false;
  let stageQuietFor: string | null = null;

  setHandler(
    stageQuietSignal,
    (execution) => {
      stageQuietFor = typeof execution === 'string' ? execution : null;
    },
    {
      description:
        'Sent by a stage that measures nothing any more. Input: the execution that may use the chip.',
    },
  );
  setHandler(
    preemptUpdate,
    async (given?: unknown) => {
      const wanted = readPreemptingRun(given);
      lentTo = wanted.run.execution_id;
      await controller.betweenLocalActivities();
      // Not cancellable: the other run belongs to someone else, and ends by itself.
      return CancellationScope.nonCancellable(async () => {
        const child = await startPreempting(wanted).catch((thrown: unknown) => {
          lentTo = null;
          throw refusal(failureTypes.notPreemptible, `it cannot start the other run: ${String(thrown)}`);
        });
        void lend(wanted.run.execution_id, child).catch((thrown: unknown) => {
          failure = thrown;
          lentTo = null;
          body.cancel();
        });
        return { flow_run_id: child.firstExecutionRunId };
      });
    },
    {
      description: 'A run with a higher priority uses the chip in between. Sent by the service only.',
      unfinishedPolicy: HandlerUnfinishedPolicy.ABANDON,
      validator(given?: unknown) {
        const wanted = readPreemptingRun(given);
        if (isEnding || controller.current().stopping) throw refusal(failureTypes.runEnding, 'it is ending');
        const problem = preemptionProblem(limits, { ...wanted, lent, lentTo, now: Date.now() });
        if (problem !== null) throw refusal(failureTypes.notPreemptible, problem);
      },
    },
  );

  /** Gives the chip to the other run at the next boundary, and takes it back after its end. */
  async function lend(execution: string, child: ChildWorkflowHandle<Workflow>): Promise<void> {
    const records = recordKeeping(policy, `execution ${execution} uses the chip in between`);
    let hasEnded = false;
    const ended = child
      .result()
      .catch(() => undefined)
      .then(() => {
        hasEnded = true;
      });
    controller.lend(execution);
    const since = new Date().toISOString();
    await records.notePreempted({ run, preempted: { by: execution, since } });
    await condition(() => hasEnded || isQuiet(execution));
    if (!hasEnded) {
      const from = Date.now();
      const limit = secondsLeft(limits, lent, from) * 1000;
      await records.lendChip({ run, to: execution });
      const summary = `time of execution ${execution} on the chip`;
      if (!(await condition(() => hasEnded, limit, { summary }))) {
        await getExternalWorkflowHandle(child.workflowId)
          .cancel()
          .catch(() => undefined);
        await ended;
      }
      const { flow_run_id } = run;
      run.epoch = (await records.begin({ run, flow_run_id, again: true })).epoch;
      lent.push({ from, to: Date.now() });
    }
    await records.notePreempted({ run, preempted: null });
    lentTo = null;
    controller.goOn(run.epoch);
  }

  const isQuiet = (execution: string) => stepsAlone === 0 && (!stageRuns || stageQuietFor === execution);

  /** Waits until no other run uses the chip. Another one may ask for it immediately afterwards. */
  async function untilBack(): Promise<void> {
    while (lentTo !== null) await condition(() => lentTo === null);
  }

  return {
    async during(whole) {
      try {
        return await body.run(whole);
      } catch (thrown) {
        throw failure ?? thrown;
      } finally {
        isEnding = true;
        // Also for a run that is only about to start.
        await CancellationScope.nonCancellable(untilBack);
      }
    },

    async alone(step) {
      await untilBack();
      stepsAlone += 1;
      try {
        return await step();
      } finally {
        stepsAlone -= 1;
      }
    },

    async inStage(stage) {
      await untilBack();
      stageRuns = true;
      stageQuietFor = null;
      try {
        return await stage();
      } finally {
        stageRuns = false;
      }
    },
  };
}

/** @throws not_a_run for anything but a run that the service wants to start */
function readPreemptingRun(given: unknown): PreemptingRun {
  const run = preemptingRunOf(given);
  if (!run) throw refusal(failureTypes.notARun, 'Runs are not started by hand.');
  return run;
}

/** Starts the other run as a child of this one. */
function startPreempting({ run: other, policy: otherPolicy, task }: PreemptingRun) {
  const input = { run: other, policy: otherPolicy };
  const args = task ? [{ ...input, task_name: task.name, qid: task.qid }] : [input];
  return startChild((task ? singleTaskRun : calibrationRun).name, {
    workflowId: runWorkflowId(other),
    // When this run is terminated, the other one stops its instrument properly.
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    priority: shareOfUser(other.share_user_id ?? other.user_id),
    memo: { execution_id: other.execution_id },
    typedSearchAttributes: runAttributes(other),
    staticSummary: runSummary(other),
    args,
  });
}
