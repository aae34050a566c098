import {
  type WorkflowExecutionDescription,
  type WorkflowExecutionStatusName,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { type Engine, withinDeadline } from './temporal.ts';

/** States of a closed workflow as the engine names them. */
export type ClosedWorkflowStatus =
  | 'COMPLETED'
  | 'FAILED'
  | 'CANCELLED'
  | 'TERMINATED'
  | 'TIMED_OUT'
  | 'CONTINUED_AS_NEW';

type OpenWorkflowStatus = Exclude<WorkflowExecutionStatusName, ClosedWorkflowStatus>;

/** Whether a workflow still holds what it holds: a paused one goes on later, an unclear state counts as open. */
export function isOpenWorkflow(status: WorkflowExecutionStatusName): status is OpenWorkflowStatus {
  return status === 'RUNNING' || status === 'PAUSED' || status === 'UNSPECIFIED' || status === 'UNKNOWN';
}

/**
 * What the engine says about a workflow, of its newest run unless one is named; null for one that it does not know.
 * @throws when the engine is away
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
