import type { TaskResultDocument } from './model.ts';

/** A task of an execution, as far as it tells how its target fared. */
export type TargetOutcome = Pick<TaskResultDocument, 'qid' | 'name' | 'status' | 'stage' | 'index'>;

/**
 * The targets of an execution that a retry makes good: those with a task whose last occurrence failed or was
 * skipped. A task that failed first and completed in a later stage of the same run has been made good already.
 */
export function targetsToRetry(outcomes: readonly TargetOutcome[]): string[] {
  const inOrder = [...outcomes].sort((a, b) => a.stage - b.stage || a.index - b.index);
  const last = new Map(inOrder.map((task) => [`${task.qid} ${task.name}`, task]));
  const open = [...last.values()].filter(({ status }) => status === 'failed' || status === 'skipped');
  return [...new Set(open.map(({ qid }) => qid))];
}
