import type { ExecutionDocument } from './model.ts';

/** `YYYYMMDD-NNN`; the number grows to four digits after 999. */
export function formatExecutionId(day: string, index: number): string {
  return `${day}-${String(index).padStart(3, '0')}`;
}

/** Day and number of an execution id, null for another form. */
export function parseExecutionId(executionId: string): { day: string; index: string } | null {
  const match = /^(\d{8})-(\d{3,})$/.exec(executionId);
  return match?.[1] && match[2] ? { day: match[1], index: match[2] } : null;
}

/** Id of the workflow run that carries an execution out, empty where it is not known. */
export function flowRunIdOf({ note }: Pick<ExecutionDocument, 'note'>): string {
  return note['flow_run_id'] ?? '';
}
