import { WorkflowNotFoundError } from '@temporalio/client';
import { withinDeadline } from '../../kernel/engine/temporal.ts';
import { CalibronError } from '../../kernel/errors.ts';
import type { ExecutionId, ProjectId, UserId } from '../../kernel/ids.ts';
import { sha256 } from '../../kernel/new-ids.ts';
import type { KernelSettings } from '../../kernel/settings.ts';
import { findTask } from '../../tasks/catalog.ts';
import type { Chips } from '../chips/index.ts';
import type { LanguageModels } from '../language-models/index.ts';
import type { CopilotSettings } from '../language-models/model.ts';
import type { TaskResultStore } from '../results/index.ts';
import { createBulkRequesting } from './bulk-requesting.ts';
import type { CancelledReviews } from './model.ts';
import { createReviewStart, type ReviewStartDependencies, type WantedReviews } from './review-start.ts';
import { isLeft, isMuxCopy } from './rules.ts';
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
  const { engine, store, results, languageModels, close } = dependencies;
  const { begin, claimAndStart } = createReviewStart(dependencies);

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

    ...createBulkRequesting({ ...dependencies, begin }),

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

/** Whether the current configuration asks for the reviews of a run. */
function isWanted(
  { trigger_type, task_name }: WantedReviews,
  { enabled, analysis }: Pick<CopilotSettings, 'enabled' | 'analysis'>,
): boolean {
  const isSwitchedOn = enabled && analysis.enabled && analysis.ai_review_tasks.includes(task_name);
  return isSwitchedOn && (trigger_type !== 'execution' || analysis.review_after_runs);
}
