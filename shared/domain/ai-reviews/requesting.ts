import { WorkflowNotFoundError } from '@temporalio/client';
import { withinDeadline } from '../../kernel/engine/temporal.ts';
import { CalibronError } from '../../kernel/errors.ts';
import type { ExecutionId, ProjectId, UserId } from '../../kernel/ids.ts';
import { newId, sha256 } from '../../kernel/new-ids.ts';
import { assertRoomWithin } from '../../kernel/quotas.ts';
import type { KernelSettings } from '../../kernel/settings.ts';
import { calendarDayBounds } from '../../kernel/time.ts';
import { findTask } from '../../tasks/catalog.ts';
import type { Actor } from '../accounts/model.ts';
import type { Chips } from '../chips/index.ts';
import type { LanguageModels } from '../language-models/index.ts';
import type { CopilotSettings } from '../language-models/model.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { TaskResultDocument } from '../results/model.ts';
import type { BulkReview, CancelledReviews, RequestedReviews } from './model.ts';
import { createReviewStart, type ReviewStartDependencies, type WantedReviews } from './review-start.ts';
import { isLeft, isMuxCopy, readDay } from './rules.ts';
import type { AiReviewSettings } from './settings.ts';
import { reviewWorkflowId } from './workflow-model.ts';

const NOT_WANTED = 'Reviews of this task were switched off before this one began.';

interface Dependencies extends ReviewStartDependencies {
  settings: AiReviewSettings & Pick<KernelSettings, 'TIMEZONE'>;
  results: ReviewStartDependencies['results'] & Pick<TaskResultStore, 'get' | 'newestEnded' | 'endedOf'>;
  chips: Pick<Chips, 'mustGet'>;
  languageModels: Pick<LanguageModels, 'config' | 'choose'>;
}

/** Requests reviews of a chip's newest results, or of the results of a run. */
export function createRequesting(dependencies: Dependencies) {
  const { engine, settings, store, results, chips, languageModels, close } = dependencies;
  const { begin, claimAndStart } = createReviewStart(dependencies);

  /** Ids of the runs that currently review these results. */
  async function holdersOf(projectId: ProjectId, left: readonly TaskResultDocument[]): Promise<string[]> {
    const now = await Promise.all(left.map(({ task_id }) => results.get(projectId, task_id)));
    const ids = now.flatMap((result) => {
      const review = result?.ai_review;
      return review && isLeft(review) ? [review.review_run_id] : [];
    });
    return [...new Set(ids)].sort();
  }

  return {
    /**
     * Cancels the open reviews of a run; they fail with that reason.
     * @throws not_found; not_cancellable when the run has ended; engine_unavailable
     */
    async cancel(projectId: ProjectId, reviewRunId: string): Promise<CancelledReviews> {
      const run = await store.run(projectId, reviewRunId);
      if (!run) throw new CalibronError('not_found', 'There is no such run of reviews in this project.');
      if (!run.open) throw new CalibronError('not_cancellable', 'This run of reviews has ended.');
      try {
        await withinDeadline(engine, () =>
          engine.client.workflow.getHandle(reviewWorkflowId(reviewRunId)).cancel(),
        );
      } catch (thrown) {
        if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
        await close(projectId, reviewRunId, 'The review was cancelled.');
      }
      return { review_run_id: reviewRunId, status: 'cancelling' };
    },

    /**
     * Continues a run whose workflow was never started, because the requesting process died. Ends the run if its reviews are no
     * longer wanted.
     * @throws engine_unavailable
     */
    async resume(projectId: ProjectId, reviewRunId: string): Promise<void> {
      const run = await store.run(projectId, reviewRunId);
      if (!run?.open) return;
      if (!isWanted(run, await languageModels.config())) {
        await close(projectId, reviewRunId, NOT_WANTED);
        return;
      }
      const left = (await store.ofRun(projectId, reviewRunId)).filter(isLeft);
      await claimAndStart(
        run,
        left.map(({ task_id }) => task_id),
      );
    },

    /**
     * Reviews the newest result of a task on each target of a chip, optionally only those of one day or of some results.
     * @throws not_found, bad_request, unknown_model, model_not_allowed, quota_exceeded, engine_unavailable
     */
    async bulk(projectId: ProjectId, actor: Actor, asked: BulkReview): Promise<RequestedReviews> {
      const { chip_id, task, entity_type, task_ids, model_override } = asked;
      if (entity_type !== 'qubit' && entity_type !== 'coupling') {
        throw new CalibronError('bad_request', 'entity_type is qubit or coupling.');
      }
      await chips.mustGet(projectId, chip_id);
      const day = readDay(asked.date);
      const answer = {
        review_run_id: '',
        chip_id,
        task,
        entity_type,
        date: day,
        requested_count: 0,
        task_ids: [],
        held_by: [],
      };
      const { enabled, analysis } = await languageModels.config();
      if (!enabled) return { ...answer, skipped_reason: 'copilot_disabled' };
      if (!analysis.enabled) return { ...answer, skipped_reason: 'analysis_disabled' };
      if (!analysis.ai_review_tasks.includes(task))
        return { ...answer, skipped_reason: 'task_not_configured' };
      const model = await languageModels.choose({ purpose: 'analysis', override: model_override });
      assertRoomWithin(
        {
          holder: 'This project',
          things: 'runs of reviews',
          limit: settings.AI_REVIEW_RUNS_PER_PROJECT,
          setting: 'AI_REVIEW_RUNS_PER_PROJECT',
          remedy: 'Delete the project where it is not needed any more',
        },
        await store.countRuns(projectId),
      );
      const found = await results.newestEnded(
        projectId,
        { chip_id, name: task },
        {
          ...(day !== null && { started: calendarDayBounds(day, settings.TIMEZONE) }),
          ...(task_ids && { task_ids }),
        },
      );
      const candidates = found.filter(
        (result) => isOf(entity_type, result) && !isMuxCopy(findTask(task), result.qid),
      );
      const wanted: WantedReviews = {
        project_id: projectId,
        review_run_id: `airv_${newId().replaceAll('-', '')}`,
        trigger_type: 'manual_chip_bulk',
        chip_id,
        task_name: task,
        entity_type,
        requested_by: actor.username,
        requested_by_user_id: actor.user_id,
        model_override: model_override ?? null,
      };
      const begun = await begin(wanted, candidates, model);
      const left = candidates.filter(({ task_id }) => !begun.includes(task_id));
      const held_by = await holdersOf(projectId, left);
      const skipped_reason = candidates.length === 0 ? 'no_results' : 'under_review';
      return {
        ...answer,
        held_by,
        review_run_id: begun.length > 0 ? wanted.review_run_id : '',
        requested_count: begun.length,
        task_ids: begun,
        skipped_reason: begun.length > 0 ? null : skipped_reason,
      };
    },

    /** Reviews the results of a run that has ended, if the configuration asks for it. Safe to run twice. */
    async afterRun(run: {
      project_id: ProjectId;
      execution_id: ExecutionId;
      chip_id: string;
      username: string;
      user_id: UserId;
    }): Promise<void> {
      const { enabled, analysis } = await languageModels.config();
      if (!enabled || !analysis.enabled || !analysis.review_after_runs) return;
      const model = await languageModels.choose({ purpose: 'analysis' });
      for (const name of analysis.ai_review_tasks) {
        const ended = await results.endedOf(run.project_id, run.execution_id, name);
        const candidates = ended.filter(({ qid }) => !isMuxCopy(findTask(name), qid));
        const [first] = candidates;
        if (!first) continue;
        const wanted: WantedReviews = {
          project_id: run.project_id,
          // The same id in each attempt, so that only one of them starts it.
          review_run_id: `airv_${sha256(`${run.project_id}/${run.execution_id}/${name}`).slice(0, 32)}`,
          trigger_type: 'execution',
          chip_id: run.chip_id,
          task_name: name,
          entity_type: first.qid.includes('-') ? 'coupling' : 'qubit',
          requested_by: run.username,
          requested_by_user_id: run.user_id,
          model_override: null,
        };
        await begin(wanted, candidates, model);
      }
    },
  };
}

function isOf(entityType: 'qubit' | 'coupling', { qid }: TaskResultDocument): boolean {
  return qid !== '' && qid.includes('-') === (entityType === 'coupling');
}

/** Whether the current configuration asks for the reviews of a run. */
function isWanted(
  { trigger_type, task_name }: WantedReviews,
  { enabled, analysis }: Pick<CopilotSettings, 'enabled' | 'analysis'>,
): boolean {
  const isSwitchedOn = enabled && analysis.enabled && analysis.ai_review_tasks.includes(task_name);
  return isSwitchedOn && (trigger_type !== 'execution' || analysis.review_after_runs);
}
