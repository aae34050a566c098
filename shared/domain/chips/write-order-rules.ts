/** Position of a write in the order of writes to the calibration state: by holder, then by task within the run. */
export interface WriteOrder {
  epoch: number;
  sequence: number;
}

/** Larger than the number of tasks in any list. */
const TASKS_PER_STAGE = 100_000;

/** Position of a write by a task of a run: by stage, then by position in the list. */
export function writeOrderOf(epoch: number, { stage, index }: { stage: number; index: number }): WriteOrder {
  return { epoch, sequence: stage * TASKS_PER_STAGE + index };
}

/** Whether the last write of a target was before this position in the order. */
export function isBefore(target: WriteOrder, { epoch, sequence }: WriteOrder): boolean {
  return target.epoch < epoch || (target.epoch === epoch && target.sequence < sequence);
}

/** Whether the last write of a target was at or before this position in the order. */
export function isNotAfter(target: WriteOrder, order: WriteOrder): boolean {
  return !isBefore(order, target);
}
