/** Activities of queue `calibration` that carry out schedules. Types only. */

/** Identifies a schedule and its due time. */
export interface ScheduledStartInput {
  project_id: string;
  schedule_id: string;
}

/** Activities of queue `calibration` that carry out schedules. */
export interface ScheduleActivities {
  startScheduledRun(input: ScheduledStartInput & { due_at: string }): Promise<{
    message: string;
    /** The started run; null if none was started. */
    started?: { execution_id: string; chip_id: string } | null;
  }>;
}
