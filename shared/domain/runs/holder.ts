import type { WorkflowExecutionDescription } from '@temporalio/client';
import { onceClosed } from '../../kernel/engine/closing.ts';
import type { Engine } from '../../kernel/engine/temporal.ts';
import { lockWorkflowId } from '../../kernel/engine/workflow-ids.ts';
import { describeWorkflow, isOpenWorkflow } from '../../kernel/engine/workflow-status.ts';
import { type ExecutionId, executionIdSchema, type ProjectId } from '../../kernel/ids.ts';
import type { ExecutionStore } from '../executions/index.ts';
import { isEndStatus } from '../executions/status-rules.ts';

/** A run as known to the engine and to the stored lock. `flow_run_id` is the run id of its workflow's first run. */
export interface Holder {
  execution_id: ExecutionId;
  flow_run_id: string;
}

/** The run that holds the project, according to the engine; null when the project is free. */
export async function holderOf(engine: Engine, projectId: ProjectId): Promise<Holder | null> {
  return holderIn(await describeWorkflow(engine, lockWorkflowId(projectId)));
}

/**
 * The run that holds the project; null when it is free. A run whose end is already recorded is about to close: this waits for it,
 * so that a caller that saw the end can start the next run.
 */
export function lastingHolderOf(
  engine: Engine,
  executions: Pick<ExecutionStore, 'get'>,
  projectId: ProjectId,
): Promise<Holder | null> {
  return onceClosed(
    () => holderOf(engine, projectId),
    async (holder) => {
      const execution = holder && (await executions.get(projectId, holder.execution_id));
      return execution !== null && isEndStatus(execution.status);
    },
  );
}

/** The run that holds the project, given the engine's description of the lock workflow. */
export function holderIn(description: WorkflowExecutionDescription | null): Holder | null {
  if (!description || !isOpenWorkflow(description.status.name)) return null;
  return {
    execution_id: executionIdSchema.parse(String(description.memo?.['execution_id'] ?? '')),
    flow_run_id: description.raw.workflowExecutionInfo?.firstRunId || description.runId,
  };
}

/** Whether both are the same run. A run that was reset or continued as new keeps the id of its first run. */
export function isSameRun(
  one: Pick<Holder, 'flow_run_id'> | null,
  other: Pick<Holder, 'flow_run_id'>,
): boolean {
  return one?.flow_run_id === other.flow_run_id;
}
