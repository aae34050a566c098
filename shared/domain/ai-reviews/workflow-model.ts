import { workflowContract } from '../../kernel/engine/workflow-contract.ts';
import type { ReviewBatchInput } from './model.ts';

/** Reviews the results of a review run. */
export const aiReviewBatch = workflowContract<(input: ReviewBatchInput) => Promise<unknown>>('aiReviewBatch');

/** Id of the workflow that reviews results. The id of a review run is random or derived from random ids. */
export function reviewWorkflowId(reviewRunId: string): string {
  return `review:${reviewRunId}`;
}
