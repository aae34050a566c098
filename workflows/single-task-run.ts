import { ApplicationFailure, uuid4 } from '@temporalio/workflow';
import type { RecordOutput } from '../activities/contract.ts';
import { addCounts, noCounts } from '../shared/domain/results/count-rules.ts';
import { endOfStoppedRun, type RunEnd } from '../shared/domain/runs/end-rules.ts';
import type { HeldRun, SingleTaskRunInput, StageOutcome } from '../shared/domain/runs/run-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { stageWorkflowId } from '../shared/kernel/engine/workflow-ids.ts';
import { createAnswersInFlight } from './answers-in-flight.ts';
import { holdingProject } from './lock.ts';
import { has } from './patches.ts';
import { recordKeeping } from './policies.ts';
import { createRecordBatches } from './record-batches.ts';
import { createRunController, type RunController, recordingControl } from './run-control.ts';
import { createRunProgress } from './run-progress.ts';
import { runStage } from './stage-child.ts';
import { runTargets } from './targets.ts';

/** One task on one target, with a project's lock like any run. A failed task fails the run. */
export async function singleTaskRun(input: SingleTaskRunInput): Promise<{ execution_id: string }> {
  const controller = createRunController();
  return holdingProject(input.run, input.policy, (run) =>
    recordingControl(run, input.policy, controller, () => runTask(run, input, controller)),
  );
}

/** The run's one stage. */
const STAGE = 0;

async function runTask(run: HeldRun, input: SingleTaskRunInput, controller: RunController): Promise<RunEnd> {
  const { policy, task_name, qid } = input;
  const records = recordKeeping(policy, `${task_name} on ${qid}: plan and summary`);
  const progress = createRunProgress(run, controller);
  const { target, tasks } = await records.planSingleTask({ run });
  const asStage = has('singleTaskStage');
  const workflow_id = asStage ? stageWorkflowId(run.project_id, run.execution_id, STAGE) : null;
  progress.enter({ index: STAGE, name: task_name, targets: 1, tasks, workflow_id });
  const outcome = asStage
    ? await runStage(
        { run, policy, index: STAGE, name: task_name, parallel: 1, control: controller.current() },
        controller,
      )
    : await measureHere(run, input, controller, { target, tasks });
  progress.leave(outcome);
  const { counts, passed } = outcome;
  if (passed > 0) return { status: 'completed', message: `${task_name} on ${qid} ended.` };
  const { stopping } = controller.current();
  if (stopping && counts.failed === 0) return endOfStoppedRun(stopping.by, counts);
  throw ApplicationFailure.create({
    message: `${task_name} did not pass on ${qid}.${outcome.cause ? ` ${outcome.cause.sentence}` : ''}`,
    type: failureTypes.noTargetPassed,
    nonRetryable: true,
  });
}

/** As runs did that were begun before single tasks had a stage. */
async function measureHere(
  run: HeldRun,
  { policy, task_name, qid }: SingleTaskRunInput,
  controller: RunController,
  { target, tasks }: { target: string; tasks: number },
): Promise<StageOutcome> {
  const records = recordKeeping(policy, `${task_name} on ${qid}: plan and summary`);
  let counts = { ...noCounts, total: tasks };
  const context = {
    run,
    policy,
    stage: STAGE,
    scopes: Array.from({ length: tasks }, () => 'target' as const),
    goesOn: false,
    answers: createAnswersInFlight(),
    batches: createRecordBatches(policy),
    here: false,
    atOnce: false,
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
  return records.closeStage({ run, stage: STAGE, cancelled: false, stopped });
}
