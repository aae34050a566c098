import { open } from 'node:fs/promises';
import type { JournalEntry } from '../../activities/backends/simulator/journal.ts';

/**
 * The simulator's journal by project, read on from where it was read last: a journal of thousands of runs is requested
 * after each of them.
 */
export function journalAt(path: string) {
  const byProject = new Map<string, JournalEntry[]>();
  let offset = 0;
  let reading = Promise.resolve();

  async function readOn(): Promise<void> {
    const file = await open(path).catch(() => null);
    if (!file) return;
    try {
      const { size } = await file.stat();
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - offset), 0, size - offset, offset);
      const written = buffer.subarray(0, bytesRead);
      // The last line may still be on its way.
      const whole = written.subarray(0, written.lastIndexOf('\n') + 1);
      offset += whole.length;
      for (const line of whole.toString('utf8').split('\n').slice(0, -1)) {
        const entry: JournalEntry = JSON.parse(line);
        const entries = byProject.get(entry.project_id) ?? [];
        byProject.set(entry.project_id, entries);
        entries.push(entry);
      }
    } finally {
      await file.close();
    }
  }

  /** What was noted of a project, in order: each start, end and abort of a measurement. */
  return async (projectId: string): Promise<JournalEntry[]> => {
    reading = reading.then(readOn);
    await reading;
    return [...(byProject.get(projectId) ?? [])];
  };
}
