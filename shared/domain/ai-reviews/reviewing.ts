import { isStoreUnavailable } from '../../kernel/database.ts';
import { CalibronError, isError, messageOf } from '../../kernel/errors.ts';
import type { ProjectId, TaskId } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/log.ts';
import { sha256 } from '../../kernel/new-ids.ts';
import { findTask } from '../../tasks/catalog.ts';
import { ModelError } from '../language-models/errors.ts';
import type { LanguageModels } from '../language-models/index.ts';
import { type CopilotSettings, RULES_PROVIDER, type Usage } from '../language-models/model.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { TaskResultDocument } from '../results/model.ts';
import type { createEvidence } from './evidence.ts';
import { hasNoValue, RULES_VERSION, refused, reviewByRules } from './fit-review-rules.ts';
import {
  type AiReviewDocument,
  type Reviewed,
  type ReviewRunDocument,
  type Verdict,
  verdict,
} from './model.ts';
import { promptOf } from './prompting.ts';
import { isLeft, shareUserOf } from './rules.ts';
import type { AiReviewStore, Ended } from './store.ts';
import { aboutOutputs, reviewNote, verdictMarkdown } from './verdict-rules.ts';

/** Maximum length in characters of the reason why a review failed. */
const ERROR_LIMIT = 500;
/** Author of the review notes, by the name that clients know. */
const REVIEWER = 'qdash-ai';

interface Judged {
  verdict: Verdict;
  prompt_hash: string;
  knowledge_version: string;
  usage: Usage | null;
}

interface Dependencies {
  store: AiReviewStore;
  results: Pick<TaskResultStore, 'get' | 'beginReview' | 'endReview' | 'waitingForReview'>;
  evidence: ReturnType<typeof createEvidence>;
  languageModels: Pick<LanguageModels, 'config' | 'choose' | 'writeObject'>;
  log: Pick<Logger, 'error'>;
}

/** Carries out reviews. A review only writes the review state and the note of a result. */
export function createReviewing({ store, results, evidence, languageModels, log }: Dependencies) {
  async function byModel({
    run,
    result,
    settings,
    signal,
  }: {
    run: ReviewRunDocument;
    result: TaskResultDocument;
    settings: CopilotSettings;
    signal: AbortSignal | undefined;
  }): Promise<Judged> {
    const { analysis } = settings;
    const { known, pictures, system, question } = await promptOf(evidence, result, {
      ...settings,
      instructions: analysis.system_prompt,
    });
    const answer = await languageModels.writeObject(
      {
        purpose: 'analysis',
        override: run.model_override,
        system,
        turns: [{ role: 'user', content: question, images: pictures.map(({ content }) => content) }],
        signal,
        share: { user: shareUserOf(run), project: run.project_id },
        // The workflow waits and retries, and shows for how long.
        retries: 0,
      },
      verdict,
    );
    return {
      verdict: aboutOutputs(answer.content, Object.keys(result.output_parameters)),
      prompt_hash: sha256(`${system}\n${question}`),
      knowledge_version: known.version,
      usage: answer.usage,
    };
  }

  async function judge(
    run: ReviewRunDocument,
    result: TaskResultDocument,
    signal?: AbortSignal,
  ): Promise<Judged> {
    const [settings, known] = await Promise.all([languageModels.config(), evidence.knowledge(result, 0)]);
    const byRules = { prompt_hash: sha256(RULES_VERSION), knowledge_version: known.version, usage: null };
    // Without a value, a model has nothing to add.
    const task = findTask(result.name) ?? { name: result.name, r2Threshold: null, outputs: {} };
    if (hasNoValue({ task, result })) return { verdict: refused({ task, result }), ...byRules };
    if (run.model.provider !== RULES_PROVIDER) return byModel({ run, result, settings, signal });
    const [figure, history] = await Promise.all([evidence.figure(result), evidence.history(result)]);
    return { verdict: reviewByRules({ task, result, figure, history }), ...byRules };
  }

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

  /** Whether to ask a model again: always if it asks to wait, after failures only up to the `retries` of its settings. */
  async function mayWait(run: ReviewRunDocument, thrown: CalibronError, waits: number): Promise<boolean> {
    if (isError(thrown, 'too_many_requests')) return true;
    if (!(thrown instanceof ModelError && thrown.code === 'model_unavailable')) return false;
    if (thrown.asksToWait) return true;
    const { retries } = await languageModels.choose({ purpose: 'analysis', override: run.model_override });
    return waits < retries;
  }

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

  async function finish(review: AiReviewDocument, judged: Judged): Promise<Reviewed> {
    const { analysis } = await languageModels.config();
    const { decision } = judged.verdict;
    const held_back = analysis.hold_back_on.some((each) => each === decision);
    const markdown = verdictMarkdown(judged.verdict);
    return end(review, { status: 'completed', decision, markdown, held_back, error: '', ...judged });
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
