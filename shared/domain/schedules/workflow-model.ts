import { workflowContract } from '../../kernel/engine/workflow-contract.ts';
import type { ProjectId } from '../../kernel/ids.ts';

/** Identifies a schedule and its due time. */
export interface ScheduledStartInput {
  project_id: ProjectId;
  schedule_id: string;
}

/** Requests the run of a schedule at a due time. */
export const scheduledStart =
  workflowContract<(input: ScheduledStartInput) => Promise<unknown>>('scheduledStart');
