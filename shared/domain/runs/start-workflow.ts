import { shareOfUser } from '../../kernel/engine/shares.ts';
import { runSummary } from '../../kernel/engine/summaries.ts';
import { type Engine, withinDeadline } from '../../kernel/engine/temporal.ts';
import { startWorkflow } from '../../kernel/engine/workflow-contract.ts';
import { CALIBRATION_QUEUE, lockWorkflowId } from '../../kernel/engine/workflow-ids.ts';
import type { ExecutionRequestDocument } from '../executions/model.ts';
import type { RunIdentity, RunPolicy } from './run-model.ts';
import { runAttributes } from './search-attribute-rules.ts';
import { calibrationRun, singleTaskRun } from './workflow-model.ts';

/**
 * Starts the workflow of a run. The open workflow `exec:<project>` is the lock: of concurrent starts, the engine accepts one.
 * @returns the id of its first run
 * @throws WorkflowExecutionAlreadyStartedError while the project is held
 */
export async function startRunWorkflow(
  engine: Engine,
  wanted: {
    run: RunIdentity;
    policy: RunPolicy;
    task: ExecutionRequestDocument['task'];
    /** Id of the idempotency key; empty without one. */
    key: string;
  },
): Promise<string> {
  const { run, policy, task, key } = wanted;
  const common = {
    workflowId: lockWorkflowId(run.project_id),
    taskQueue: CALIBRATION_QUEUE,
    priority: shareOfUser(run.share_user_id ?? run.user_id),
    workflowIdConflictPolicy: 'FAIL' as const,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    memo: { execution_id: run.execution_id, idempotency_key: key },
    typedSearchAttributes: runAttributes(run),
    staticSummary: runSummary(run),
  };
  const handle = await withinDeadline(engine, () =>
    task
      ? startWorkflow(engine, singleTaskRun, {
          ...common,
          args: [{ run, policy, task_name: task.name, qid: task.qid }],
        })
      : startWorkflow(engine, calibrationRun, {
          ...common,
          args: [{ run, policy }],
        }),
  );
  return handle.firstExecutionRunId;
}
