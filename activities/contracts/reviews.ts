/** Activities of queue `review`. Types only. */
import type { Reviewed } from '../../shared/domain/ai-reviews/model.ts';

/** Which run of reviews. */
export interface ReviewRunInput {
  project_id: string;
  review_run_id: string;
}

/** Activities of queue `review`. */
export interface ReviewActivities {
  /** Ids of results whose reviews have not ended, some of them. */
  openReviews(input: ReviewRunInput): Promise<{ task_ids: string[] }>;
  /**
   * @param input `last` fails the review where its model would have to be waited for; `waits` is how often it was waited for
   */
  reviewResult(input: ReviewRunInput & { task_id: string; last: boolean; waits?: number }): Promise<Reviewed>;
  /** Ends the run; reviews that are left have failed because of `why`. */
  closeReviews(input: ReviewRunInput & { why: string }): Promise<void>;
}
