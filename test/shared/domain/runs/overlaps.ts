import type { JournalEntry } from '../../../../activities/backends/simulator/journal.ts';

/**
 * Measurements of a chip that began while another one still ran. One whose process was killed ran until then: the
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
    for (const [other, { pid }] of open) {
      const killed = gone.get(pid);
      if (killed !== undefined && killed <= Date.parse(entry.at)) open.delete(other);
      else overlapping.push(`${key} began at ${entry.at} while ${other} ran`);
    }
    open.set(key, entry);
  }
  return overlapping;
}
