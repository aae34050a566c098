import type { TaskResultDocument } from './model.ts';

/** A task of an execution, as far as it tells how its target fared. */
export type TargetOutcome = Pick<TaskResultDocument, 'qid' | 'name' | 'status' | 'stage' | 'index'>;

/**
 * The targets of an execution that a retry makes good: those with a task whose last occurrence failed or was
 * skipped. A task that failed first and completed in a later stage of the same run has been made good already.
 */
export function targetsToRetry(outcomes: readonly TargetOutcome[]): string[] {
  return targetsOf(
    lastOccurrences(outcomes).filter(({ status }) => status === 'failed' || status === 'skipped'),
  );
}

/** The targets of an execution that are calibrated: the last occurrence of each of their tasks completed. */
export function calibratedTargets(outcomes: readonly TargetOutcome[]): string[] {
  const last = lastOccurrences(outcomes);
  const open = new Set(targetsOf(last.filter(({ status }) => status !== 'completed')));
  return targetsOf(last).filter((qid) => !open.has(qid));
}

function lastOccurrences(outcomes: readonly TargetOutcome[]): TargetOutcome[] {
  const inOrder = [...outcomes].sort((a, b) => a.stage - b.stage || a.index - b.index);
  return [...new Map(inOrder.map((task) => [`${task.qid} ${task.name}`, task])).values()];
}

function targetsOf(tasks: readonly TargetOutcome[]): string[] {
  return [...new Set(tasks.map(({ qid }) => qid))];
}
