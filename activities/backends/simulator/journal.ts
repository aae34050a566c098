import { appendFile } from 'node:fs/promises';
import type { MeasureRequest } from '../backend.ts';

/** What happened to a measurement. One that ends with an error has ended too. */
export type JournalEvent = 'start' | 'end' | 'abort';

/** One line of the journal. */
export interface JournalEntry {
  event: JournalEvent;
  /** ISO time. */
  at: string;
  project_id: string;
  execution_id: string;
  task_id: string;
  attempt: number;
  task_name: string;
  targets: string[];
  /** Of the process that drives the simulated instrument. */
  pid: number;
  /** Of a measurement that ended with an error. */
  error?: string;
}

/**
 * Adds a line to the journal. Opened for appending and written in one piece, lines of several processes never mix
 * and survive a kill of the process; a power cut may lose the last ones.
 */
export async function writeJournal(
  path: string | undefined,
  event: JournalEvent,
  request: MeasureRequest,
  details: { at: Date; error?: string },
): Promise<void> {
  if (path === undefined) return;
  const entry: JournalEntry = {
    event,
    at: details.at.toISOString(),
    project_id: request.project_id,
    execution_id: request.execution_id,
    task_id: request.task_id,
    attempt: request.attempt,
    task_name: request.task_name,
    targets: request.targets,
    pid: process.pid,
    ...(details.error === undefined ? {} : { error: details.error }),
  };
  await appendFile(path, `${JSON.stringify(entry)}\n`);
}
