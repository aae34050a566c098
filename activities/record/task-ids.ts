import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { namedId } from '../../shared/kernel/ids.ts';

/** A task of a stage's list on the targets that are measured together. */
export interface TaskPlace {
  run: Pick<HeldRun, 'flow_run_id'>;
  stage: number;
  targets: readonly string[];
  index: number;
}

/**
 * Id of a measurement. It follows from its place in the run alone, so that whatever repeats a step gets the same id; the
 * namespace is the random id of the run's workflow, so that an id cannot be guessed.
 */
export function taskIdAt({ run, stage, targets, index }: TaskPlace): string {
  return passIdAt({ run, stage, targets, index }, 1);
}

/** Id of a further pass of a measurement, from 2 on. */
export function passIdAt({ run, stage, targets, index }: TaskPlace, pass: number): string {
  return namedId(
    run.flow_run_id,
    `stage ${stage}, target ${targets.join(' ')}, position ${index}, pass ${pass}`,
  );
}
