import type { AiReviews } from '../shared/domain/ai-reviews/index.ts';
import type { ReviewActivities } from './contracts/reviews.ts';

/** Maximum number of reviews returned to the workflow at a time, so that the payload stays small. */
const PAGE = 100;

interface Dependencies {
  aiReviews: Pick<AiReviews, 'open' | 'review' | 'close'>;
  /** Cancellation signal of the current activity. */
  cancellation(): AbortSignal;
}

/** Activities of a review run; each is safe to run twice. */
export function createAiReviewActivities({ aiReviews, cancellation }: Dependencies): ReviewActivities {
  return {
    async openReviews({ project_id, review_run_id }) {
      return { task_ids: await aiReviews.open(project_id, review_run_id, PAGE) };
    },

    reviewResult: ({ last, waits = 0, ...review }) =>
      aiReviews.review(review, { last, waits, signal: cancellation() }),

    closeReviews: ({ project_id, review_run_id, why }) => aiReviews.close(project_id, review_run_id, why),
  };
}
