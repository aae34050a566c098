/** All steps: the state of a step while it is carried out. */
import type { FlowCommandDocument } from '../../shared/domain/executions/model.ts';
import type { TaskId } from '../../shared/kernel/ids.ts';
import type { RecordInput, RecordOutput } from '../contracts/steps.ts';
import type { TaskEnd } from './applying.ts';
import type { PrefetchedRow } from './row-making.ts';

/** A step in progress: its output so far, and the pending writes of ended tasks. */
export interface Step {
  input: RecordInput;
  plan: FlowCommandDocument;
  output: RecordOutput;
  pendingWrites: readonly TaskEnd[];
}

/** State of a target after the measured task: either another pass follows or the task has ended. */
export type AfterClosing =
  | { isOver: false }
  | { isOver: true; upstreamId: TaskId; nextRow?: NextRow | undefined };

/** Returns the row of the next task, which is being created. */
type NextRow = () => ReturnType<PrefetchedRow['settle']>;

/** Removes and returns the pending writes, so that they are made only once. */
export function takePendingWrites(step: Step): Step['pendingWrites'] {
  const { pendingWrites } = step;
  step.pendingWrites = [];
  return pendingWrites;
}
