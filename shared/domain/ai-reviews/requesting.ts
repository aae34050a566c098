import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { searchAttributes } from '../../kernel/engine/search-attributes.ts';
import { shareOfUser } from '../../kernel/engine/shares.ts';
import { type Engine, withinDeadline } from '../../kernel/engine/temporal.ts';
import { startWorkflow } from '../../kernel/engine/workflow-contract.ts';
import { CALIBRATION_QUEUE } from '../../kernel/engine/workflow-ids.ts';
import { describeWorkflow } from '../../kernel/engine/workflow-status.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, newId, sha256 } from '../../kernel/ids.ts';
import { assertRoomWithin } from '../../kernel/quotas.ts';
import type { KernelSettings } from '../../kernel/settings.ts';
import { calendarDayBounds } from '../../kernel/time.ts';
import { findTask } from '../../tasks/catalog.ts';
import type { Actor } from '../accounts/model.ts';
import type { Chips } from '../chips/index.ts';
import type { LanguageModels } from '../language-models/index.ts';
import type { CopilotSettings, ModelSettings } from '../language-models/model.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { AiReviewState, TaskResultDocument } from '../results/model.ts';
import type {
  AiReviewDocument,
  BulkReview,
  CancelledReviews,
  RequestedReviews,
  ReviewBatchInput,
  ReviewRunDocument,
} from './model.ts';
import { isLeft, isMuxCopy, readDay, shareUserOf } from './rules.ts';
import type { AiReviewSettings } from './settings.ts';
import type { AiReviewStore } from './store.ts';
import { aiReviewBatch, reviewWorkflowId } from './workflow-model.ts';

/** Number of history events after which the workflow of a run continues as new. */
const HISTORY_LIMIT = 1500;
const NOT_STARTED = 'The review could not be started.';
const NOT_WANTED = 'Reviews of this task were switched off before this one began.';

interface Dependencies {
  engine: Engine;
  settings: AiReviewSettings & Pick<KernelSettings, 'TIMEZONE'>;
  store: AiReviewStore;
  results: Pick<TaskResultStore, 'get' | 'newestEnded' | 'endedOf' | 'claimReview'>;
  chips: Pick<Chips, 'mustGet'>;
  languageModels: Pick<LanguageModels, 'config' | 'choose'>;
  close(projectId: string, reviewRunId: string, why: string): Promise<void>;
  historyLimit?: number;
}

/** The subject of a review run. */
type Wanted = Pick<
  ReviewRunDocument,
  | 'project_id'
  | 'review_run_id'
  | 'trigger_type'
  | 'chip_id'
  | 'task_name'
  | 'entity_type'
  | 'requested_by'
  | 'requested_by_user_id'
  | 'model_override'
>;

/** Requests reviews of a chip's newest results, or of the results of a run. */
export function createRequesting(dependencies: Dependencies) {
  const { engine, settings, store, results, chips, languageModels, close } = dependencies;
  const { historyLimit = HISTORY_LIMIT } = dependencies;

  async function startBatch(run: ReviewRunDocument, input: ReviewBatchInput): Promise<void> {
    const { project_id, review_run_id, chip_id, task_name, requested_by } = run;
    await withinDeadline(engine, () =>
      startWorkflow(engine, aiReviewBatch, {
        workflowId: reviewWorkflowId(review_run_id),
        taskQueue: CALIBRATION_QUEUE,
        priority: shareOfUser(shareUserOf(run)),
        workflowIdConflictPolicy: 'FAIL',
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        memo: { project_id, review_run_id, model: input.model, total: input.total },
        typedSearchAttributes: searchAttributes({
          ProjectId: project_id,
          ChipId: chip_id,
          Initiator: requested_by,
          Trigger: run.trigger_type,
        }),
        staticSummary: `Review of ${task_name} · ${chip_id} · ${review_run_id}`,
        staticDetails: `${input.total} results, judged by ${input.model}.`,
        args: [input],
      }),
    );
  }

  /**
   * Claims those results of a stored run that no other review has claimed, and starts reviewing them. Safe to run twice.
   * @returns the ids of the claimed results
   */
  async function claimAndStart(run: ReviewRunDocument, taskIds: readonly string[]): Promise<string[]> {
    const { project_id, review_run_id, model } = run;
    const claimed: string[] = [];
    for (const taskId of taskIds) {
      if (await results.claimReview(project_id, taskId, requestedState(run))) claimed.push(taskId);
    }
    const others = taskIds.filter((id) => !claimed.includes(id));
    await store.drop(project_id, review_run_id, others);
    if (claimed.length === 0) {
      await close(project_id, review_run_id, NOT_STARTED);
      return [];
    }
    const { parallel_reviews } = (await languageModels.config()).analysis;
    try {
      await startBatch(run, {
        project_id,
        review_run_id,
        parallel: parallel_reviews,
        total: claimed.length,
        model: `${model.provider}/${model.name}`,
        history_limit: historyLimit,
      });
    } catch (thrown) {
      // Another process has started it meanwhile.
      if (!(thrown instanceof WorkflowExecutionAlreadyStartedError)) throw thrown;
    }
    return claimed;
  }

  /** Stores and starts a run of reviews. Safe to run twice. @returns the ids of the results that it reviews */
  async function begin(
    wanted: Wanted,
    candidates: readonly TaskResultDocument[],
    model: ModelSettings,
  ): Promise<string[]> {
    if (candidates.length === 0) return [];
    const { project_id, review_run_id } = wanted;
    const run: ReviewRunDocument = {
      ...wanted,
      _id: keyOf(project_id, review_run_id),
      requested_at: new Date(),
      completed_at: null,
      open: true,
      model: { provider: model.provider, name: model.name },
    };
    const rows = candidates.map((result) => newReview(run, result));
    try {
      // The run is stored before its claims, so that any process that finds a claim finds its run.
      const stored = await store.add(run, rows);
      if (!stored) return [];
      return await claimAndStart(
        stored,
        rows.map(({ task_id }) => task_id),
      );
    } catch (thrown) {
      // The workflow may exist all the same. If that cannot be determined now, the check of open runs will do it.
      const hasBegun = await describeWorkflow(engine, reviewWorkflowId(review_run_id)).catch(() => true);
      if (!hasBegun) await close(project_id, review_run_id, NOT_STARTED);
      throw thrown;
    }
  }

  /** Ids of the runs that currently review these results. */
  async function holdersOf(projectId: string, left: readonly TaskResultDocument[]): Promise<string[]> {
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
    async cancel(projectId: string, reviewRunId: string): Promise<CancelledReviews> {
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
    async resume(projectId: string, reviewRunId: string): Promise<void> {
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
    async bulk(projectId: string, actor: Actor, asked: BulkReview): Promise<RequestedReviews> {
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
      const wanted: Wanted = {
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
      project_id: string;
      execution_id: string;
      chip_id: string;
      username: string;
      user_id: string;
    }): Promise<void> {
      const { enabled, analysis } = await languageModels.config();
      if (!enabled || !analysis.enabled || !analysis.review_after_runs) return;
      const model = await languageModels.choose({ purpose: 'analysis' });
      for (const name of analysis.ai_review_tasks) {
        const ended = await results.endedOf(run.project_id, run.execution_id, name);
        const candidates = ended.filter(({ qid }) => !isMuxCopy(findTask(name), qid));
        const [first] = candidates;
        if (!first) continue;
        const wanted: Wanted = {
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
  { trigger_type, task_name }: Wanted,
  { enabled, analysis }: Pick<CopilotSettings, 'enabled' | 'analysis'>,
): boolean {
  const isSwitchedOn = enabled && analysis.enabled && analysis.ai_review_tasks.includes(task_name);
  return isSwitchedOn && (trigger_type !== 'execution' || analysis.review_after_runs);
}

/** The review state of a result that waits for its review. */
function requestedState(run: ReviewRunDocument): AiReviewState {
  return {
    status: 'requested',
    requested_at: run.requested_at.toISOString(),
    requested_by: run.requested_by,
    review_run_id: run.review_run_id,
    trigger_type: run.trigger_type,
    model_provider: run.model.provider,
    model_name: run.model.name,
    completed_at: null,
    error: '',
    decision: 'UNKNOWN',
    held_back: false,
  };
}

function newReview(run: ReviewRunDocument, result: TaskResultDocument): AiReviewDocument {
  const { project_id, review_run_id } = run;
  return {
    _id: keyOf(project_id, review_run_id, result.task_id),
    project_id,
    review_run_id,
    task_id: result.task_id,
    task_name: result.name,
    chip_id: result.chip_id,
    qid: result.qid,
    execution_id: result.execution_id,
    task_status: result.status,
    start_at: result.start_at,
    figure_path: result.figure_path,
    json_figure_path: result.json_figure_path,
    status: 'requested',
    decision: 'UNKNOWN',
    verdict: null,
    markdown: '',
    model: run.model,
    prompt_hash: '',
    knowledge_version: '',
    usage: null,
    held_back: false,
    error: '',
    requested_by: run.requested_by,
    requested_at: run.requested_at,
    completed_at: null,
  };
}
