import type { WorkflowExecutionDescription } from '@temporalio/client';
import { onceClosed } from '../../kernel/engine/closing.ts';
import type { Engine } from '../../kernel/engine/temporal.ts';
import { lockWorkflowId } from '../../kernel/engine/workflow-ids.ts';
import { describeWorkflow, isOpenWorkflow } from '../../kernel/engine/workflow-status.ts';
import type { ExecutionStore } from '../executions/index.ts';
import { isEndStatus } from '../executions/status-rules.ts';

/** A run as the engine and the stored lock know it. `flow_run_id` is the id of its workflow's first run. */
export interface Holder {
  execution_id: string;
  flow_run_id: string;
}

/** The run that holds the project, as the engine knows it; null when the project is free. */
export async function holderOf(engine: Engine, projectId: string): Promise<Holder | null> {
  return holderIn(await describeWorkflow(engine, lockWorkflowId(projectId)));
}

/**
 * The run that holds the project for longer: one whose end is told already is about to close, and waited for, so that
 * who saw it end can go on. Null when the project is free.
 */
export function lastingHolderOf(
  engine: Engine,
  executions: Pick<ExecutionStore, 'get'>,
  projectId: string,
): Promise<Holder | null> {
  return onceClosed(
    () => holderOf(engine, projectId),
    async (holder) => {
      const execution = holder && (await executions.get(projectId, holder.execution_id));
      return execution !== null && isEndStatus(execution.status);
    },
  );
}

/** The run that holds the project, from what the engine describes of the lock's workflow. */
export function holderIn(description: WorkflowExecutionDescription | null): Holder | null {
  if (!description || !isOpenWorkflow(description.status.name)) return null;
  return {
    execution_id: String(description.memo?.['execution_id'] ?? ''),
    flow_run_id: description.raw.workflowExecutionInfo?.firstRunId || description.runId,
  };
}

/** Whether both are one run: one that is reset or continues as new keeps the id of its first run. */
export function isSameRun(
  one: Pick<Holder, 'flow_run_id'> | null,
  other: Pick<Holder, 'flow_run_id'>,
): boolean {
  return one?.flow_run_id === other.flow_run_id;
}
