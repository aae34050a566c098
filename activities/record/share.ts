/** All steps: the user whose share of the queues a step uses. */
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import type { Share } from '../../shared/kernel/fair-queue.ts';

/** The user and the project for whom a run works. */
export function shareOfRun({
  user_id,
  share_user_id = user_id,
  project_id,
}: Pick<HeldRun, 'user_id' | 'share_user_id' | 'project_id'>): Share {
  return { user: share_user_id, project: project_id };
}
