import { defineArea, type Kernel } from '../../kernel/area.ts';
import { describeWorkflow, isOpenWorkflow } from '../../kernel/engine/workflow-status.ts';
import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { Artifacts } from '../artifacts/index.ts';
import type { Chips } from '../chips/index.ts';
import type { KnowledgeCases } from '../knowledge-cases/index.ts';
import type { LanguageModels } from '../language-models/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { TaskKnowledgePages } from '../task-knowledge/index.ts';
import { createReviewArchives } from './archives.ts';
import { createEvidence } from './evidence.ts';
import type { ReviewQuality, ReviewRow, ReviewRun } from './model.ts';
import { createRequesting } from './requesting.ts';
import type { ReviewFilter } from './review-lists.ts';
import { createReviewing } from './reviewing.ts';
import { byTarget, judgementOf, qualityOf } from './rules.ts';
import type { AiReviewSettings } from './settings.ts';
import { aiReviewIndexes, createAiReviewStore, type OpenReviewRun } from './store.ts';
import { type RunCounts, reviewRowOf, reviewRunOf } from './wire.ts';
import { reviewWorkflowId } from './workflow-model.ts';

export type AiReviews = ReturnType<typeof aiReviews.create>;

/** Milliseconds after which an open run without an open workflow is checked. */
const SETTLE_TIME = 60_000;
/** Milliseconds within which a run that was never started is still started. */
const RESUME_WITHIN = 86_400_000;
/** Maximum number of newest judgements of each kind by which reviews are measured. */
const JUDGEMENTS = 5000;

const nothingCounted: RunCounts = { statuses: {}, decisions: {}, execution_ids: [] };

/** Reviews of task results, by fixed rules or a language model. */
export const aiReviews = defineArea({
  name: 'aiReviews',
  indexes: aiReviewIndexes,
  create(
    needs: Kernel<AiReviewSettings> & {
      results: TaskResultStore;
      chips: Chips;
      artifacts: Artifacts;
      languageModels: LanguageModels;
      taskKnowledge: TaskKnowledgePages;
      knowledgeCases: Pick<KnowledgeCases, 'approvedLabels'>;
    },
  ) {
    const { db, engine, settings, log, results, chips, artifacts, languageModels, knowledgeCases } = needs;
    const { CALIB_DATA_PATH: root } = settings;
    const store = createAiReviewStore(db);
    const evidence = createEvidence(needs);
    const { review, close } = createReviewing({ store, results, evidence, languageModels, log });
    const requesting = createRequesting({ engine, settings, store, results, chips, languageModels, close });

    const archives = createReviewArchives({ store, results, artifacts, evidence, languageModels });

    const { bulk, afterRun, cancel } = requesting;

    async function settle(
      { project_id, review_run_id, requested_at }: OpenReviewRun,
      now: Date,
    ): Promise<void> {
      const workflow = await describeWorkflow(engine, reviewWorkflowId(review_run_id));
      if (workflow && isOpenWorkflow(workflow.status.name)) return;
      const isFresh = now.getTime() - requested_at.getTime() < RESUME_WITHIN;
      if (!workflow && isFresh) await requesting.resume(project_id, review_run_id);
      else await close(project_id, review_run_id, 'The review was cut off.');
    }

    return {
      bulk,
      afterRun,
      cancel,
      archives,
      review,
      close,
      /** The evidence for a result, for other areas that ask a model about it. */
      evidence,
      /** Ids of results of a run whose reviews have not ended, up to a limit. */
      open: store.open,

      /**
       * Starts the runs whose workflow was never started. Ends the reviews of runs whose workflow is gone, for example after a
       * terminate.
       */
      async reconcile(now = new Date()): Promise<void> {
        const settled = new Date(now.getTime() - SETTLE_TIME);
        for (const run of await store.openRuns(settled)) {
          try {
            await settle(run, now);
          } catch (thrown) {
            log.warn(
              { review_run_id: run.review_run_id, error: String(thrown) },
              'could not continue the reviews',
            );
          }
        }
      },

      /** A page of runs, newest first. */
      async listRuns(
        projectId: ProjectId,
        filter: Pick<ReviewFilter, 'chip_id' | 'task_name'>,
        page: { skip: number; limit: number },
      ): Promise<{ items: ReviewRun[]; total: number; skip: number; limit: number }> {
        const { items, total } = await store.listRuns(projectId, filter, page);
        const counts = await store.countsOf(
          projectId,
          items.map(({ review_run_id }) => review_run_id),
        );
        const shown = items.map((run) => reviewRunOf(run, counts.get(run.review_run_id) ?? nothingCounted));
        return { items: shown, total, ...page };
      },

      /** A run with all its reviews, by target. @throws not_found */
      async readRun(
        projectId: ProjectId,
        reviewRunId: string,
      ): Promise<{ run: ReviewRun; items: ReviewRow[] }> {
        const run = await store.run(projectId, reviewRunId);
        if (!run) throw new CalibronError('not_found', 'There is no such run of reviews in this project.');
        const [rows, counts] = await Promise.all([
          store.ofRun(projectId, reviewRunId),
          store.countsOf(projectId, [reviewRunId]),
        ]);
        return {
          run: reviewRunOf(run, counts.get(reviewRunId) ?? nothingCounted),
          items: rows.sort(byTarget).map((row) => reviewRowOf(root, row)),
        };
      },

      /** A page of reviews, with the counts of all that match the filter. */
      async list(
        projectId: ProjectId,
        filter: ReviewFilter,
        page: { latestOnly: boolean; skip: number; limit: number },
      ) {
        const { items, ...counts } = await store.list(projectId, filter, page);
        return {
          items: items.map((row) => reviewRowOf(root, row)),
          ...counts,
          skip: page.skip,
          limit: page.limit,
        };
      },

      /** How often reviews agreed with people's later judgement of the same results. */
      async quality(projectId: ProjectId): Promise<ReviewQuality> {
        const [judged, labelled] = await Promise.all([
          results.judgedByPeople(projectId, JUDGEMENTS),
          knowledgeCases.approvedLabels(projectId, JUDGEMENTS),
        ]);
        const judgements = [
          ...judged.map((each) => ({ ...each, label: null })),
          ...labelled.flatMap(({ task_id, human_label, at }) => judgementOf(task_id, human_label, at)),
        ];
        const taskIds = [...new Set(judgements.map(({ task_id }) => task_id))];
        return qualityOf(await store.completedOf(projectId, taskIds), judgements);
      },
    };
  },
});
