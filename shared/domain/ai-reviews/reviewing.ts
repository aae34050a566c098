import { isStoreUnavailable } from '../../kernel/database.ts';
import { CalibronError, isError, messageOf } from '../../kernel/errors.ts';
import type { ProjectId, TaskId } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/log.ts';
import { ModelError } from '../language-models/errors.ts';
import type { LanguageModels } from '../language-models/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { createEvidence } from './evidence.ts';
import { createJudging } from './judging.ts';
import type { AiReviewDocument, Reviewed, ReviewRunDocument } from './model.ts';
import { createReviewEnds, ERROR_LIMIT } from './review-ends.ts';
import { isLeft } from './rules.ts';
import type { AiReviewStore } from './store.ts';

interface Dependencies {
  store: AiReviewStore;
  results: Pick<TaskResultStore, 'get' | 'beginReview' | 'endReview' | 'waitingForReview'>;
  evidence: ReturnType<typeof createEvidence>;
  languageModels: Pick<LanguageModels, 'config' | 'choose' | 'writeObject'>;
  log: Pick<Logger, 'error'>;
}

/** Carries out reviews. A review only writes the review state and the note of a result. */
export function createReviewing({ store, results, evidence, languageModels, log }: Dependencies) {
  const { judge } = createJudging({ evidence, languageModels });
  const { report, fail, finish } = createReviewEnds({ store, results, languageModels });

  /** Whether to ask a model again: always if it asks to wait, after failures only up to the `retries` of its settings. */
  async function mayWait(run: ReviewRunDocument, thrown: CalibronError, waits: number): Promise<boolean> {
    if (isError(thrown, 'too_many_requests')) return true;
    if (!(thrown instanceof ModelError && thrown.code === 'model_unavailable')) return false;
    if (thrown.asksToWait) return true;
    const { retries } = await languageModels.choose({ purpose: 'analysis', override: run.model_override });
    return waits < retries;
  }

  return {
    /**
     * Reviews one result of a run. Safe to run twice: a review that has ended is kept.
     * @param last fails the review instead of waiting for its model
     * @param waits number of waits so far; beyond the `retries` of the model, a failing model fails the review
     */
    async review(
      of: { project_id: ProjectId; review_run_id: string; task_id: TaskId },
      { last, waits = 0, signal }: { last: boolean; waits?: number; signal?: AbortSignal },
    ): Promise<Reviewed> {
      const { project_id, review_run_id, task_id } = of;
      const [run, review, result] = await Promise.all([
        store.run(project_id, review_run_id),
        store.get(project_id, review_run_id, task_id),
        results.get(project_id, task_id),
      ]);
      if (!review) return { status: 'failed', decision: 'UNKNOWN' };
      if (review.status === 'completed' || review.status === 'failed') return report(review);
      if (!run || !result) return fail(review, 'The result is gone.');
      await store.begin(project_id, review_run_id, task_id);
      await results.beginReview(review);
      try {
        return await finish(review, await judge(run, result, signal));
      } catch (thrown) {
        signal?.throwIfAborted();
        if (isStoreUnavailable(thrown)) throw thrown;
        if (!(thrown instanceof CalibronError)) {
          log.error({ err: thrown, task_id, review_run_id }, 'review failed');
          return fail(review, `The reviewer failed: ${messageOf(thrown)}`);
        }
        if (!last && (await mayWait(run, thrown, waits))) {
          const reason = messageOf(thrown);
          await store.noteWaiting(review, `Waiting: ${reason}`.slice(0, ERROR_LIMIT));
          return { status: 'waiting', seconds: thrown.retryAfter ?? 30, reason };
        }
        return fail(review, thrown.message);
      }
    },

    /**
     * Ends the open reviews of a run. Reviews whose result was never claimed are removed from the run.
     * @param why the reason recorded for the failed reviews
     */
    async close(projectId: ProjectId, reviewRunId: string, why: string): Promise<void> {
      const reviews = await store.ofRun(projectId, reviewRunId);
      const ids = reviews.map(({ task_id }) => task_id);
      const waiting = await results.waitingForReview(projectId, reviewRunId, ids);
      const isUnclaimed = ({ status, task_id }: AiReviewDocument) =>
        status === 'requested' && !waiting.has(task_id);
      for (const review of reviews.filter((each) => !isUnclaimed(each))) {
        if (isLeft(review)) await fail(review, why);
        else if (waiting.has(review.task_id)) await report(review);
      }
      const unclaimed = reviews.filter(isUnclaimed).map(({ task_id }) => task_id);
      await store.drop(projectId, reviewRunId, unclaimed);
      await store.endRun(projectId, reviewRunId, new Date());
    },
  };
}
