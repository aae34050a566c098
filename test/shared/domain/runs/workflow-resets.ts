import type { WorkflowHandle } from '@temporalio/client';
import type Long from 'long';
import type { Laboratory } from '../../../support/laboratory.ts';

/** Events at which the workflow tasks of a run were completed: what the run can be reset to. */
export async function workflowTasks(handle: Pick<WorkflowHandle, 'fetchHistory'>): Promise<Long[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ eventId, workflowTaskCompletedEventAttributes: done }) =>
    done && eventId ? [eventId] : [],
  );
}

/** Resets a run of a workflow to one of its workflow tasks, as the engine's UI does. */
export async function resetTo(
  { engine }: Laboratory,
  workflowExecution: { workflowId: string; runId: string },
  eventId: Long,
): Promise<void> {
  await engine.connection.workflowService.resetWorkflowExecution({
    namespace: engine.namespace,
    workflowExecution,
    reason: 'a test',
    requestId: crypto.randomUUID(),
    workflowTaskFinishEventId: eventId,
  });
}
