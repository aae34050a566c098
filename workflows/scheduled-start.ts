import {
  proxyActivities,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { ScheduleActivities } from '../activities/contracts/schedules.ts';
import type { ScheduledStartInput } from '../shared/domain/schedules/workflow-model.ts';
import { searchAttributes } from '../shared/kernel/engine/search-attributes.ts';

/**
 * Starts a run when its schedule is due. A Temporal Schedule appends the time to the workflow id, so this workflow cannot hold
 * the project lock itself. It requests a run as a client does, and ends.
 */
export async function scheduledStart(input: ScheduledStartInput): Promise<{ message: string }> {
  // Retried without limit: a start that has become too late is recorded as missed.
  const { startScheduledRun } = proxyActivities<ScheduleActivities>({
    startToCloseTimeout: '30 seconds',
    retry: { initialInterval: '500ms', maximumInterval: '10s' },
    summary: 'start what the schedule asks for',
  });
  const due = workflowInfo().searchAttributes['TemporalScheduledStartTime']?.[0];
  const due_at = due instanceof Date ? due : workflowInfo().startTime;
  const { message, started } = await startScheduledRun({ ...input, due_at: due_at.toISOString() });
  if (started) {
    upsertSearchAttributes(searchAttributes({ ExecutionId: started.execution_id, ChipId: started.chip_id }));
  }
  setCurrentDetails(message);
  return { message };
}
