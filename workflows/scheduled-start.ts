import {
  proxyActivities,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { ScheduleActivities, ScheduledStartInput } from '../activities/contracts/schedules.ts';
import { searchAttributes } from '../shared/kernel/engine/search-attributes.ts';

/**
 * What a schedule does when it is due. A Temporal Schedule appends the time to the id of what it starts, so this
 * workflow cannot hold the project itself; it asks for a run like any client, and ends.
 */
export async function scheduledStart(input: ScheduledStartInput): Promise<{ message: string }> {
  // However long store and engine are away: a due time that has become too late is noted as missed.
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
