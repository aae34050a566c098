import type { LanguageModels } from '../language-models/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { Judged } from './judging.ts';
import type { AiReviewDocument, Reviewed } from './model.ts';
import type { AiReviewStore, Ended } from './store.ts';
import { reviewNote, verdictMarkdown } from './verdict-rules.ts';

/** Maximum length in characters of the reason why a review failed. */
export const ERROR_LIMIT = 500;

/** Author of the review notes, by the name that clients know. */
const REVIEWER = 'qdash-ai';

/** Ends reviews, and updates the results that they are about. */
export function createReviewEnds({
  store,
  results,
  languageModels,
}: {
  store: Pick<AiReviewStore, 'end' | 'get'>;
  results: Pick<TaskResultStore, 'endReview'>;
  languageModels: Pick<LanguageModels, 'config'>;
}) {
  /**
   * Ends a review, then updates its result. After a crash between the two, the result still waits for a review that has ended;
   * the next process that handles this review updates it.
   */
  async function end(review: AiReviewDocument, how: Ended): Promise<Reviewed> {
    await store.end(review, how, new Date());
    // The first end stays; it may come from another attempt.
    const ended = await store.get(review.project_id, review.review_run_id, review.task_id);
    return report(ended ?? { ...review, ...how, completed_at: new Date() });
  }

  /** Updates a result with the end of its review. Safe to repeat. */
  async function report(review: AiReviewDocument): Promise<Reviewed> {
    const { status, decision, error, held_back, markdown, model, completed_at } = review;
    const at = completed_at ?? new Date();
    const state = { completed_at: at.toISOString(), error, decision };
    if (status !== 'completed') {
      // A value held back by an earlier review stays held back.
      await results.endReview(review, { ...state, status: 'failed' });
      return { status: 'failed', decision };
    }
    const note = {
      content: reviewNote(markdown, model, at),
      updated_by: REVIEWER,
      updated_at: at.toISOString(),
    };
    await results.endReview(review, { ...state, status, held_back }, note);
    return { status, decision };
  }

  /** Ends a review without a verdict. */
  function fail(review: AiReviewDocument, error: string): Promise<Reviewed> {
    return end(review, {
      status: 'failed',
      decision: 'FORMAT_ERROR',
      verdict: null,
      markdown: '',
      prompt_hash: '',
      knowledge_version: '',
      usage: null,
      held_back: false,
      error: error.slice(0, ERROR_LIMIT),
    });
  }

  /** Ends a review with its verdict. */
  async function finish(review: AiReviewDocument, judged: Judged): Promise<Reviewed> {
    const { analysis } = await languageModels.config();
    const { decision } = judged.verdict;
    const held_back = analysis.hold_back_on.some((each) => each === decision);
    const markdown = verdictMarkdown(judged.verdict);
    return end(review, { status: 'completed', decision, markdown, held_back, error: '', ...judged });
  }

  return { report, fail, finish };
}
