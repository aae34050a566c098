import type { ProjectId } from '../../shared/kernel/ids.ts';

/** Activities of queue `calibration` that delete a project. Types only. */

/** Activities of queue `calibration` that delete a project. */
export interface DeletionActivities {
  removeProject(input: { project_id: ProjectId }): Promise<void>;
  forgetDeletion(input: { project_id: ProjectId }): Promise<void>;
}
