import {
  type WorkflowExecutionDescription,
  type WorkflowExecutionStatusName,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { type Engine, withinDeadline } from './temporal.ts';

/** The engine's names for the states of a closed workflow. */
export type ClosedWorkflowStatus =
  | 'COMPLETED'
  | 'FAILED'
  | 'CANCELLED'
  | 'TERMINATED'
  | 'TIMED_OUT'
  | 'CONTINUED_AS_NEW';

type OpenWorkflowStatus = Exclude<WorkflowExecutionStatusName, ClosedWorkflowStatus>;

/** Whether a workflow is still open. A paused one continues later, and an unknown state counts as open. */
export function isOpenWorkflow(status: WorkflowExecutionStatusName): status is OpenWorkflowStatus {
  return status === 'RUNNING' || status === 'PAUSED' || status === 'UNSPECIFIED' || status === 'UNKNOWN';
}

/**
 * The engine's description of a workflow: of the given run, or of its newest one. Null if the workflow is unknown.
 * @throws if the engine is unavailable
 */
export async function describeWorkflow(
  engine: Engine,
  workflowId: string,
  runId?: string,
): Promise<WorkflowExecutionDescription | null> {
  try {
    return await withinDeadline(engine, () => engine.client.workflow.getHandle(workflowId, runId).describe());
  } catch (thrown) {
    if (thrown instanceof WorkflowNotFoundError) return null;
    throw thrown;
  }
}
