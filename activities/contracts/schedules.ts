import type { ScheduledStartInput } from '../../shared/domain/schedules/workflow-model.ts';
import type { ExecutionId } from '../../shared/kernel/ids.ts';

/** Activities of queue `calibration` that carry out schedules. Types only. */
export interface ScheduleActivities {
  startScheduledRun(input: ScheduledStartInput & { due_at: string }): Promise<{
    message: string;
    /** The started run; null if none was started. */
    started?: { execution_id: ExecutionId; chip_id: string } | null;
  }>;
}
