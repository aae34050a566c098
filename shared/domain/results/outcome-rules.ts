import type { TaskResultDocument } from './model.ts';

/** The fields of a task that determine the outcome of its target. */
export type TargetOutcome = Pick<TaskResultDocument, 'qid' | 'name' | 'status' | 'stage' | 'index'>;

/**
 * The targets that a retry of an execution must measure: those with a task whose last occurrence failed, was skipped or was
 * cancelled. A task that failed first and completed in a later stage of the same run needs no retry.
 */
export function targetsToRetry(outcomes: readonly TargetOutcome[]): string[] {
  return targetsOf(lastOccurrences(outcomes).filter(({ status }) => status !== 'completed'));
}

/** The calibrated targets of an execution: the last occurrence of each of their tasks completed. */
export function calibratedTargets(outcomes: readonly TargetOutcome[]): string[] {
  const last = lastOccurrences(outcomes);
  const open = new Set(targetsOf(last.filter(({ status }) => status !== 'completed')));
  return targetsOf(last).filter((qid) => !open.has(qid));
}

/** The tasks and targets of a stage as planned. */
export interface PlannedStage {
  /** Number of the stage, as in its tasks. */
  index: number;
  tasks: readonly { name: string }[];
  targets: readonly string[];
}

/**
 * The outcomes of an execution with those of planned tasks that were never reached, because the execution ended before: they count
 * as skipped, although nothing of them is stored.
 */
export function withUnreached(
  outcomes: readonly TargetOutcome[],
  stages: readonly PlannedStage[],
): TargetOutcome[] {
  const keyOf = ({ stage, index, qid }: Pick<TargetOutcome, 'stage' | 'index' | 'qid'>) =>
    `${stage} ${index} ${qid}`;
  const reached = new Set(outcomes.map(keyOf));
  const unreached = stages.flatMap(({ index: stage, tasks, targets }) =>
    targets.flatMap((qid) =>
      tasks
        .map(({ name }, index): TargetOutcome => ({ qid, name, status: 'skipped', stage, index }))
        .filter((outcome) => !reached.has(keyOf(outcome))),
    ),
  );
  return [...outcomes, ...unreached];
}

function lastOccurrences(outcomes: readonly TargetOutcome[]): TargetOutcome[] {
  const inOrder = [...outcomes].sort((a, b) => a.stage - b.stage || a.index - b.index);
  return [...new Map(inOrder.map((task) => [`${task.qid} ${task.name}`, task])).values()];
}

function targetsOf(tasks: readonly TargetOutcome[]): string[] {
  return [...new Set(tasks.map(({ qid }) => qid))];
}
