import type { AiReviews } from '../shared/domain/ai-reviews/index.ts';
import type { ReviewActivities } from './contracts/reviews.ts';

/** Reviews that the workflow is given at a time: their ids are a small payload. */
const PAGE = 100;

interface Dependencies {
  aiReviews: Pick<AiReviews, 'open' | 'review' | 'close'>;
  /** Ends with the activity that asks. */
  cancellation(): AbortSignal;
}

/** Activities that carry out a run of reviews; each is safe to run twice. */
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
