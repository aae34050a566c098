import type { Reviewed } from '../../shared/domain/ai-reviews/model.ts';
import type { ProjectId, TaskId } from '../../shared/kernel/ids.ts';

/** Identifies a review run. */
export interface ReviewRunInput {
  project_id: ProjectId;
  review_run_id: string;
}

/** Activities of queue `review`. Types only. */
export interface ReviewActivities {
  /** Ids of results whose reviews have not ended; returns one page at a time. */
  openReviews(input: ReviewRunInput): Promise<{ task_ids: TaskId[] }>;
  /** @param input if `last`, the review fails instead of waiting for its model; `waits` counts the previous waits */
  reviewResult(input: ReviewRunInput & { task_id: TaskId; last: boolean; waits?: number }): Promise<Reviewed>;
  /** Ends the run. Open reviews fail with the reason `why`. */
  closeReviews(input: ReviewRunInput & { why: string }): Promise<void>;
}
