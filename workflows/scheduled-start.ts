import { proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { ScheduleActivities, ScheduledStartInput } from '../activities/contract.ts';

/**
 * What a schedule does when it is due. A Temporal Schedule appends the time to the id of what it starts, so this
 * workflow cannot hold the project itself; it asks for a run like any client, and ends.
 */
export async function scheduledStart(input: ScheduledStartInput): Promise<{ message: string }> {
  // Within the catch-up window store and engine may still be coming back.
  const { startScheduledRun } = proxyActivities<ScheduleActivities>({
    startToCloseTimeout: '30 seconds',
    scheduleToCloseTimeout: '10 minutes',
    retry: { initialInterval: '500ms', maximumInterval: '10s' },
    summary: 'start what the schedule asks for',
  });
  const due = workflowInfo().searchAttributes['TemporalScheduledStartTime']?.[0];
  const due_at = due instanceof Date ? due : workflowInfo().startTime;
  const { message } = await startScheduledRun({ ...input, due_at: due_at.toISOString() });
  setCurrentDetails(message);
  return { message };
}
