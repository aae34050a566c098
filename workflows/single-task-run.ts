import { ApplicationFailure } from '@temporalio/workflow';
import { endOfStoppedRun, type RunEnd } from '../shared/domain/runs/end-rules.ts';
import type { HeldRun, SingleTaskRunInput } from '../shared/domain/runs/run-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { stageWorkflowId } from '../shared/kernel/engine/workflow-ids.ts';
import type { ExecutionId } from '../shared/kernel/ids.ts';
import { holdingProject } from './lock.ts';
import { recordKeeping } from './policies.ts';
import { createRunController, type RunController, recordingControl } from './run-control.ts';
import { assertStartedAsRun } from './run-input.ts';
import { createRunProgress } from './run-progress.ts';
import { runStage } from './stage-child.ts';

/** Runs one task on one target. It holds the project's lock like any run. A failed task fails the run. */
export async function singleTaskRun(input: SingleTaskRunInput): Promise<{ execution_id: ExecutionId }> {
  assertStartedAsRun(input);
  const controller = createRunController();
  return holdingProject(input.run, input.policy, (run) =>
    recordingControl(run, input.policy, controller, () => runTask(run, input, controller)),
  );
}

/** Number of the only stage. */
const STAGE = 0;

async function runTask(run: HeldRun, input: SingleTaskRunInput, controller: RunController): Promise<RunEnd> {
  const { policy, task_name, qid } = input;
  const records = recordKeeping(policy, `${task_name} on ${qid}: plan and summary`);
  const progress = createRunProgress(controller);
  const { tasks } = await records.planSingleTask({ run });
  const workflow_id = stageWorkflowId(run.project_id, run.execution_id, STAGE);
  progress.enter({ index: STAGE, name: task_name, targets: 1, tasks, workflow_id });
  const outcome = await runStage(
    { run, policy, index: STAGE, name: task_name, parallel: 1, control: controller.current() },
    controller,
  );
  progress.leave(outcome);
  const { counts, passed } = outcome;
  if (passed > 0) return { status: 'completed', message: `${task_name} on ${qid} ended.` };
  const { stopping } = controller.current();
  if (stopping && counts.failed === 0) return endOfStoppedRun(stopping.by, counts);
  throw ApplicationFailure.create({
    message: `${task_name} did not pass on ${qid}.${outcome.cause ? ` ${outcome.cause.message}` : ''}`,
    type: failureTypes.noTargetPassed,
    nonRetryable: true,
  });
}
