import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { searchAttributes } from '../../kernel/engine/search-attributes.ts';
import { shareOfUser } from '../../kernel/engine/shares.ts';
import { type Engine, withinDeadline } from '../../kernel/engine/temporal.ts';
import { startWorkflow } from '../../kernel/engine/workflow-contract.ts';
import { CALIBRATION_QUEUE } from '../../kernel/engine/workflow-ids.ts';
import { describeWorkflow } from '../../kernel/engine/workflow-status.ts';
import { keyOf, type ProjectId, type TaskId } from '../../kernel/ids.ts';
import type { LanguageModels } from '../language-models/index.ts';
import type { ModelSettings } from '../language-models/model.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { AiReviewState, TaskResultDocument } from '../results/model.ts';
import type { AiReviewDocument, ReviewBatchInput, ReviewRunDocument } from './model.ts';
import { shareUserOf } from './rules.ts';
import type { AiReviewStore } from './store.ts';
import { aiReviewBatch, reviewWorkflowId } from './workflow-model.ts';

/** Number of history events after which the workflow of a run continues as new. */
const HISTORY_LIMIT = 1500;
const NOT_STARTED = 'The review could not be started.';

export interface ReviewStartDependencies {
  engine: Engine;
  store: AiReviewStore;
  results: Pick<TaskResultStore, 'claimReview'>;
  languageModels: Pick<LanguageModels, 'config'>;
  close(projectId: ProjectId, reviewRunId: string, why: string): Promise<void>;
  historyLimit?: number;
}

/** The subject of a review run. */
export type WantedReviews = Pick<
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

/** Starts runs of reviews: stores them, claims their results and starts their workflows. */
export function createReviewStart({
  engine,
  store,
  results,
  languageModels,
  close,
  historyLimit = HISTORY_LIMIT,
}: ReviewStartDependencies) {
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
  async function claimAndStart(run: ReviewRunDocument, taskIds: readonly TaskId[]): Promise<TaskId[]> {
    const { project_id, review_run_id, model } = run;
    const claimed: TaskId[] = [];
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
    wanted: WantedReviews,
    candidates: readonly TaskResultDocument[],
    model: ModelSettings,
  ): Promise<TaskId[]> {
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
      // The workflow may exist anyway. If that cannot be determined now, the check of open runs will do it.
      const hasBegun = await describeWorkflow(engine, reviewWorkflowId(review_run_id)).catch(() => true);
      if (!hasBegun) await close(project_id, review_run_id, NOT_STARTED);
      throw thrown;
    }
  }

  return { begin, claimAndStart };
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
