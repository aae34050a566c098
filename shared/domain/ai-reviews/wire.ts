import type { ExecutionId } from '../../kernel/ids.ts';
import { isoTime, isoTimeOrNull } from '../../kernel/time.ts';
import { shownFilePaths } from '../artifacts/path-rules.ts';
import type { AiReviewDocument, ReviewRow, ReviewRun, ReviewRunDocument } from './model.ts';

/** Number of reviews of a run, by status and decision. */
export interface RunCounts {
  statuses: Record<string, number>;
  decisions: Record<string, number>;
  execution_ids: ExecutionId[];
}

const listed = (names: readonly string[] | undefined) => (names?.length ? names.join(', ') : 'none');
const modelText = ({ provider, name }: { provider: string; name: string }) => `${provider}/${name}`;

export function reviewRunOf(run: ReviewRunDocument, counts: RunCounts): ReviewRun {
  const { statuses, decisions, execution_ids } = counts;
  return {
    review_run_id: run.review_run_id,
    trigger_type: run.trigger_type,
    chip_id: run.chip_id,
    task_name: run.task_name,
    entity_type: run.entity_type,
    execution_ids,
    requested_by: run.requested_by,
    requested_at: isoTime(run.requested_at),
    completed_at: isoTimeOrNull(run.completed_at),
    model: modelText(run.model),
    total: Object.values(statuses).reduce((sum, each) => sum + each, 0),
    completed_count: statuses['completed'] ?? 0,
    failed_count: statuses['failed'] ?? 0,
    running_count: statuses['running'] ?? 0,
    requested_count: statuses['requested'] ?? 0,
    decision_counts: decisions,
    status_counts: statuses,
  };
}

export function reviewRowOf(root: string, review: AiReviewDocument): ReviewRow {
  const { verdict, usage, qid } = review;
  return {
    task_id: review.task_id,
    review_run_id: review.review_run_id,
    task_name: review.task_name,
    chip_id: review.chip_id,
    qid,
    target: qid === '' ? 'unknown' : qid.startsWith('Q') ? qid : `Q${qid}`,
    execution_id: review.execution_id,
    task_status: review.task_status,
    review_status: review.status,
    decision: review.decision,
    human_label: verdict?.human_label ?? '',
    accepted_parameters: verdict ? listed(verdict.accepted_parameters) : '',
    needs_review: verdict ? listed(verdict.needs_review) : '',
    primary_reason: verdict?.primary_reason ?? '',
    suggested_labels: verdict ? listed(verdict.suggested_labels) : '',
    recommended_action: verdict?.recommended_action ?? '',
    model: modelText(review.model),
    requested_by: review.requested_by,
    requested_at: isoTime(review.requested_at),
    completed_at: isoTimeOrNull(review.completed_at),
    note_updated_at: review.status === 'completed' ? isoTimeOrNull(review.completed_at) : null,
    start_at: isoTimeOrNull(review.start_at),
    figure_path: shownFilePaths(root, review.figure_path, review),
    json_figure_path: shownFilePaths(root, review.json_figure_path, review),
    review_markdown: review.markdown,
    format_ok: verdict !== null,
    error: review.error,
    prompt_hash: review.prompt_hash,
    knowledge_version: review.knowledge_version,
    cost: usage?.cost ?? null,
    latency: usage?.latency ?? null,
    held_back: review.held_back,
  };
}
