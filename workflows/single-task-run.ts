import { ApplicationFailure, uuid4 } from '@temporalio/workflow';
import type { RecordOutput } from '../activities/contract.ts';
import { addCounts, noCounts } from '../shared/domain/results/count-rules.ts';
import type { RunEnd } from '../shared/domain/runs/end-rules.ts';
import { endOfStoppedRun } from '../shared/domain/runs/end-rules.ts';
import type { HeldRun, SingleTaskRunInput } from '../shared/domain/runs/run-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { createAnswersInFlight } from './answers-in-flight.ts';
import { holdingProject } from './lock.ts';
import { recordKeeping } from './policies.ts';
import { createRunController, noted, type RunController } from './run-control.ts';
import { createRunProgress } from './run-progress.ts';
import { runTargets } from './targets.ts';

/** One task on one target, with a project's lock like any run. A failed task fails the run. */
export async function singleTaskRun(input: SingleTaskRunInput): Promise<{ execution_id: string }> {
  const controller = createRunController();
  return holdingProject(input.run, input.policy, (run) =>
    noted(run, input.policy, controller, () => runTask(run, input, controller)),
  );
}

async function runTask(
  run: HeldRun,
  { policy, task_name, qid }: SingleTaskRunInput,
  controller: RunController,
): Promise<RunEnd> {
  const records = recordKeeping(policy, `${task_name} on ${qid}: plan and summary`);
  const progress = createRunProgress(run, controller);
  const { target, tasks } = await records.planSingleTask({ run });
  let counts = { ...noCounts, total: tasks };
  progress.enter({ index: 0, name: task_name, targets: 1, tasks, workflow_id: null });
  const context = {
    run,
    policy,
    stage: 0,
    scopes: Array.from({ length: tasks }, () => 'target' as const),
    answers: createAnswersInFlight(),
    holdsBack: () => controller.current().paused !== null || controller.current().stopping !== null,
    onRecord: ({ completed, failed, skipped }: RecordOutput) => {
      counts = addCounts(counts, { completed, failed, skipped, cancelled: 0, total: 0 });
    },
  };
  // A pause may come between the preparation of the chip and the task itself.
  for (let index = 0; index < tasks; ) {
    await controller.whileGoing();
    if (controller.current().stopping) break;
    const ended = await runTargets(context, [target], index);
    if (ended.passed.length === 0) break;
    index = ended.index;
  }
  const { stopping } = controller.current();
  const stopped =
    stopping && counts.completed + counts.failed + counts.skipped < tasks
      ? { by: stopping.by, task_id: uuid4() }
      : null;
  const outcome = await records.closeStage({ run, stage: 0, cancelled: false, stopped });
  progress.leave(outcome);
  if (stopped) return endOfStoppedRun(stopped.by, outcome.counts);
  if (outcome.passed === 0) {
    throw ApplicationFailure.create({
      message: `${task_name} did not pass on ${qid}.${outcome.cause ? ` ${outcome.cause.sentence}` : ''}`,
      type: failureTypes.noTargetPassed,
      nonRetryable: true,
    });
  }
  return { status: 'completed', message: `${task_name} on ${qid} ended.` };
}
