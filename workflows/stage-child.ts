import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ApplicationFailure,
  CancellationScope,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  startChild,
} from '@temporalio/workflow';
import type { StageInput, StageOutcome } from '../shared/domain/runs/run-model.ts';
import { runAttributes } from '../shared/domain/runs/search-attribute-rules.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { stageSummary } from '../shared/kernel/engine/summaries.ts';
import { stageWorkflowId } from '../shared/kernel/engine/workflow-ids.ts';
import type { RunController } from './run-control.ts';
import { controlSignal } from './signals.ts';
import { stage } from './stage.ts';

/** Runs a stage as a child workflow, which may continue as new, and waits for its end. */
export async function runStage(input: StageInput, controller: RunController): Promise<StageOutcome> {
  const { run, index } = input;
  const workflowId = stageWorkflowId(run.project_id, run.execution_id, index);
  const knownRevision = controller.revision();
  const child = await startChild(stage, {
    workflowId,
    // When a run is terminated, its stages are cancelled, so that they stop the instruments properly.
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    staticSummary: stageSummary(input),
    // A run that continues a stage inherits its memo and attributes, but not its summary (server 1.29.1).
    memo: { summary: stageSummary(input) },
    typedSearchAttributes: runAttributes(run),
    args: [input],
  }).catch((thrown: unknown) => {
    if (!(thrown instanceof WorkflowExecutionAlreadyStartedError)) throw thrown;
    throw ApplicationFailure.create({
      message: `The run was reset while its stage ${input.name} was under way. Start a new run instead of resetting one.`,
      type: failureTypes.notStartable,
      nonRetryable: true,
    });
  });
  // The SDK's cancellation names the first run of the child and has no effect once that has continued as new (SDK 1.24.0,
  // server 1.29.1). This one names the workflow and so reaches the open run.
  CancellationScope.current().cancelRequested.catch(() =>
    CancellationScope.nonCancellable(() => getExternalWorkflowHandle(workflowId).cancel()).catch(
      () => undefined,
    ),
  );
  return controller.relaying(
    knownRevision,
    (control) => getExternalWorkflowHandle(workflowId).signal(controlSignal, control),
    () => child.result(),
  );
}
