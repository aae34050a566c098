import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { newId } from '../../kernel/new-ids.ts';
import { assertRoomWithin } from '../../kernel/quotas.ts';
import type { KernelSettings } from '../../kernel/settings.ts';
import { calendarDayBounds } from '../../kernel/time.ts';
import { findTask } from '../../tasks/catalog.ts';
import type { Actor } from '../accounts/model.ts';
import type { Chips } from '../chips/index.ts';
import type { LanguageModels } from '../language-models/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { TaskResultDocument } from '../results/model.ts';
import type { BulkReview, RequestedReviews } from './model.ts';
import type { createReviewStart, WantedReviews } from './review-start.ts';
import { isLeft, isMuxCopy, readDay } from './rules.ts';
import type { AiReviewSettings } from './settings.ts';
import type { AiReviewStore } from './store.ts';

function isOf(entityType: 'qubit' | 'coupling', { qid }: TaskResultDocument): boolean {
  return qid !== '' && qid.includes('-') === (entityType === 'coupling');
}

/** Requests reviews of a chip's newest results. */
export function createBulkRequesting({
  settings,
  store,
  results,
  chips,
  languageModels,
  begin,
}: {
  settings: AiReviewSettings & Pick<KernelSettings, 'TIMEZONE'>;
  store: Pick<AiReviewStore, 'countRuns'>;
  results: Pick<TaskResultStore, 'get' | 'newestEnded'>;
  chips: Pick<Chips, 'mustGet'>;
  languageModels: Pick<LanguageModels, 'config' | 'choose'>;
  begin: ReturnType<typeof createReviewStart>['begin'];
}) {
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
  };
}
