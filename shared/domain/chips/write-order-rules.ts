/** Place of a write of calibration state in the order of writes: by holder, then by task within the run. */
export interface WriteOrder {
  epoch: number;
  sequence: number;
}

/** More tasks than any list has. */
const TASKS_PER_STAGE = 100_000;

/** Place of what a task of a run writes: stage first, then position in the list. */
export function writeOrderOf(epoch: number, { stage, index }: { stage: number; index: number }): WriteOrder {
  return { epoch, sequence: stage * TASKS_PER_STAGE + index };
}

/** Whether a target was last written before a write in this place of the order. */
export function isBefore(target: WriteOrder, { epoch, sequence }: WriteOrder): boolean {
  return target.epoch < epoch || (target.epoch === epoch && target.sequence < sequence);
}

/** Whether a target was last written before a write in this place of the order, or by it. */
export function isNotAfter(target: WriteOrder, order: WriteOrder): boolean {
  return !isBefore(order, target);
}
