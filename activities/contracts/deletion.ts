/** Activities of queue `calibration` that delete a project. Types only. */

/** Activities of queue `calibration` that delete a project. */
export interface DeletionActivities {
  removeProject(input: { project_id: string }): Promise<void>;
  forgetDeletion(input: { project_id: string }): Promise<void>;
}
