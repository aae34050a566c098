/** All steps: ids of measurements and passes. */
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { type TaskId, taskIdSchema } from '../../shared/kernel/ids.ts';
import { namedId } from '../../shared/kernel/new-ids.ts';

/** The place of a task in its run: its position in the list of a stage, and the targets that are measured together. */
export interface TaskPlace {
  run: Pick<HeldRun, 'flow_run_id'>;
  stage: number;
  targets: readonly string[];
  index: number;
}

/**
 * Id of a measurement. It depends only on the place in the run, so every repetition of a step gets the same id. The namespace is
 * the random id of the run's workflow, so that ids cannot be guessed.
 */
export function taskIdAt({ run, stage, targets, index }: TaskPlace): TaskId {
  return passIdAt({ run, stage, targets, index }, 1);
}

/** Id of a pass of a measurement; the first one has the id of the measurement. */
export function passIdAt({ run, stage, targets, index }: TaskPlace, pass: number): TaskId {
  const place = `stage ${stage}, target ${targets.join(' ')}, position ${index}, pass ${pass}`;
  return taskIdSchema.parse(namedId(run.flow_run_id, place));
}
