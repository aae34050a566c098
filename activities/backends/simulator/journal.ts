import { appendFile } from 'node:fs/promises';
import type { ExecutionId, ProjectId, TaskId } from '../../../shared/kernel/ids.ts';
import type { MeasureRequest } from '../backend.ts';

/** What happened to a measurement. `end` includes measurements that end with an error. */
export type JournalEvent = 'start' | 'end' | 'abort';

/** One line of the journal. */
export interface JournalEntry {
  event: JournalEvent;
  /** ISO time. */
  at: string;
  project_id: ProjectId;
  execution_id: ExecutionId;
  task_id: TaskId;
  attempt: number;
  task_name: string;
  targets: string[];
  /** Id of the process that drives the simulated instrument. */
  pid: number;
  /** Message of the error with which the measurement ended. */
  error?: string;
}

/**
 * Appends a line to the journal in one write. Lines of several processes are therefore never mixed, and they survive if the
 * process is killed. A power failure may lose the last lines.
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
