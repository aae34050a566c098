import type { JournalEntry } from '../../../../activities/backends/simulator/journal.ts';

/**
 * Measurements of a chip that began while one of another run, or of the same target, still ran. One whose process was killed ran until then: the
 * simulated instrument is part of it.
 * @param journal of one chip, in order
 * @param gone when processes were killed, in milliseconds, by their number
 */
export function overlappingMeasurements(
  journal: readonly JournalEntry[],
  gone: ReadonlyMap<number, number>,
): string[] {
  const open = new Map<string, JournalEntry>();
  const overlapping: string[] = [];
  for (const entry of journal) {
    const key = `${entry.execution_id} ${entry.task_id} attempt ${entry.attempt} of ${entry.pid}`;
    if (entry.event !== 'start') {
      open.delete(key);
      continue;
    }
    for (const [other, { pid, execution_id, targets }] of open) {
      const killed = gone.get(pid);
      // A run measures several targets at a time, but each of them once.
      const isBeside =
        execution_id === entry.execution_id && !targets.some((qid) => entry.targets.includes(qid));
      if (isBeside) continue;
      if (killed !== undefined && killed <= Date.parse(entry.at)) open.delete(other);
      else overlapping.push(`${key} began at ${entry.at} while ${other} ran`);
    }
    open.set(key, entry);
  }
  return overlapping;
}

/**
 * Measurements that were made again although they had finished and the process that held their result lived on.
 * @param journal of one chip, in order
 * @param gone when processes were killed, in milliseconds, by their number
 */
export function repeatedMeasurements(
  journal: readonly JournalEntry[],
  gone: ReadonlyMap<number, number>,
): string[] {
  const finished = new Map<string, JournalEntry>();
  const repeated: string[] = [];
  for (const entry of journal) {
    const key = `${entry.execution_id} ${entry.task_id} ${entry.targets.join()}`;
    if (entry.event === 'end' && entry.error === undefined) finished.set(key, entry);
    const before = entry.event === 'start' ? finished.get(key) : undefined;
    // A further pass of a task is requested as attempt 1 again.
    if (!before || entry.attempt <= before.attempt) continue;
    const died = gone.get(before.pid);
    if (died === undefined || died > Date.parse(entry.at)) {
      repeated.push(
        `${key}: attempt ${entry.attempt} began at ${entry.at}, attempt ${before.attempt} had ended`,
      );
    }
  }
  return repeated;
}
