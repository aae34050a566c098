/** Activities of queue `calibration` that carry out schedules. Types only. */

/** Which schedule is due. */
export interface ScheduledStartInput {
  project_id: string;
  schedule_id: string;
}

/** Activities of queue `calibration` that carry out schedules. */
export interface ScheduleActivities {
  startScheduledRun(input: ScheduledStartInput & { due_at: string }): Promise<{
    message: string;
    /** The run that was started; null when none was. */
    started?: { execution_id: string; chip_id: string } | null;
  }>;
}
