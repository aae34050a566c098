/** All steps: rows and calibration state of the targets of a measurement. */
import type { Areas } from '../../shared/domain/areas.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { type TaskId, taskIdSchema } from '../../shared/kernel/ids.ts';
import { derivedId } from '../../shared/kernel/new-ids.ts';
import { type Task, targetKind } from './plans.ts';

/** Id of the row of a target. Targets of a shared measurement have separate rows, with ids derived from the measurement's id. */
export function rowId(task: Task, taskId: TaskId, target: string): TaskId {
  return task.planned.scope === 'target' ? taskId : taskIdSchema.parse(derivedId(taskId, target));
}

/** Calibration state of the target of a task; null if the task has none. */
export async function stateOf(
  state: Areas['chips']['state'],
  { run, definition, target }: { run: HeldRun; definition: Task['definition']; target: string },
) {
  const kind = targetKind(definition);
  return kind === null ? null : state.read(run.project_id, run.chip_id, kind, target);
}
