import { ApplicationFailure } from '@temporalio/workflow';
import type { AdvanceInput, AdvanceOutput } from '../activities/contracts/runs.ts';
import { minuteText, type WaitKind } from '../shared/domain/executions/status-rules.ts';
import { causeMessage } from '../shared/domain/runs/cause-rules.ts';
import { endOfStoppedRun, type RunEnd } from '../shared/domain/runs/end-rules.ts';
import type { CalibrationRunInput, HeldRun, RunPolicy } from '../shared/domain/runs/run-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { stageWorkflowId } from '../shared/kernel/engine/workflow-ids.ts';
import type { ExecutionId } from '../shared/kernel/ids.ts';
import { createApprovals } from './approval.ts';
import { holdingProject } from './lock.ts';
import { askingFlow, recordKeeping } from './policies.ts';
import { createPreemption, type Preemption } from './preemption.ts';
import { createRunController, type RunController, recordingControl } from './run-control.ts';
import { assertStartedAsRun } from './run-input.ts';
import { createRunProgress } from './run-progress.ts';
import { runStage } from './stage-child.ts';

/** Waits of at least this many milliseconds are shown in the execution. */
const NOTED_SLEEP = 5000;

/** Runs a flow: gets its next command, executes it, and repeats until the flow ends. */
export async function calibrationRun(input: CalibrationRunInput): Promise<{ execution_id: ExecutionId }> {
  assertStartedAsRun(input);
  const { policy } = input;
  const controller = createRunController();
  return holdingProject(input.run, policy, (run) =>
    recordingControl(run, policy, controller, () => {
      const preemption = createPreemption(run, policy, controller);
      return preemption.during(() => walkFlow(run, policy, { controller, preemption }));
    }),
  );
}

async function walkFlow(
  run: HeldRun,
  policy: RunPolicy,
  { controller, preemption }: { controller: RunController; preemption: Preemption },
): Promise<RunEnd> {
  const askFlow = askingFlow(policy, run, controller);
  const advance = (request: AdvanceInput) => preemption.alone(() => askFlow(request));
  const records = recordKeeping(policy, 'note what the run waits for');
  const progress = createRunProgress(controller);
  const ask = createApprovals(run, policy, controller);
  let command: AdvanceOutput = await advance({ run, done: -1 });
  while (command.kind !== 'end') {
    await controller.whileGoing();
    const done = command.index;
    const answer = await carryOut(command);
    const { stopping } = controller.current();
    if (stopping) return endOfStoppedRun(stopping.by, progress.counts());
    command = await advance({ run, done, ...(answer && { answer }) });
  }
  if (progress.targets() > 0 && progress.passed() === 0) {
    const cause = progress.cause();
    throw ApplicationFailure.create({
      message: ['No target passed any stage.', cause && causeMessage(cause), command.message]
        .filter(Boolean)
        .join(' '),
      type: failureTypes.noTargetPassed,
      nonRetryable: true,
    });
  }
  return { status: 'completed', message: command.message ?? 'The flow ended.' };

  async function carryOut(asked: Exclude<AdvanceOutput, { kind: 'end' }>) {
    // A stage that a stop prevents still records its tasks as skipped.
    if (controller.current().stopping && asked.kind !== 'stage') return undefined;
    if (asked.kind === 'stage') {
      progress.enter({
        ...asked,
        workflow_id: stageWorkflowId(run.project_id, run.execution_id, asked.index),
      });
      progress.leave(
        await preemption.inStage(() =>
          runStage(
            {
              run,
              policy,
              index: asked.index,
              name: asked.name,
              parallel: asked.parallel ?? policy.parallel,
              control: controller.current(),
            },
            controller,
          ),
        ),
      );
      return undefined;
    }
    if (asked.kind === 'sleep') {
      const milliseconds = asked.seconds * 1000;
      const until = minuteText(new Date(Date.now() + milliseconds).toISOString());
      const wait = () => controller.waitUntil(() => false, milliseconds, 'the flow sleeps');
      await (milliseconds < NOTED_SLEEP
        ? wait()
        : waitingFor('sleep', `the flow's sleep until ${until}`, wait));
      return undefined;
    }
    const { index, ...approval } = asked;
    const until = minuteText(new Date(Date.now() + approval.deadline_seconds * 1000).toISOString());
    const reply = JSON.stringify({ answer: approval.options[0], by: 'your name' });
    return waitingFor(
      'approval',
      `an answer to "${approval.question}" until ${until}`,
      () => ask(index, approval),
      `the signal or update approval with \`${reply}\`; answers are ${approval.options.join(', ')}`,
    );
  }

  /** Shows in the execution and to operators what the run waits for. */
  async function waitingFor<T>(
    kind: WaitKind,
    what: string,
    wait: () => Promise<T>,
    message?: string,
  ): Promise<T> {
    const since = new Date().toISOString();
    progress.waitFor(what, message);
    await records.noteWaiting({ run, waiting: { for: what, since, kind } });
    const result = await wait();
    progress.waitFor(null);
    await records.noteWaiting({ run, waiting: null });
    return result;
  }
}
