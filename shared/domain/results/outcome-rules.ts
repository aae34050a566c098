import type { TaskResultDocument } from './model.ts';

/** The fields of a task that determine the outcome of its target. */
export type TargetOutcome = Pick<TaskResultDocument, 'qid' | 'name' | 'status' | 'stage' | 'index'>;

/**
 * The targets that a retry of an execution must measure: those with a task whose last occurrence failed or was skipped. A
 * task that failed first and completed in a later stage of the same run needs no retry.
 */
export function targetsToRetry(outcomes: readonly TargetOutcome[]): string[] {
  return targetsOf(
    lastOccurrences(outcomes).filter(({ status }) => status === 'failed' || status === 'skipped'),
  );
}

/** The calibrated targets of an execution: the last occurrence of each of their tasks completed. */
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
