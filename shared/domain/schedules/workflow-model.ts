import { workflowContract } from '../../kernel/engine/workflow-contract.ts';

/** Identifies a schedule and its due time. */
export interface ScheduledStartInput {
  project_id: string;
  schedule_id: string;
}

/** Requests the run of a schedule at a due time. */
export const scheduledStart =
  workflowContract<(input: ScheduledStartInput) => Promise<unknown>>('scheduledStart');
