import { type ExecutionId, executionIdSchema } from '../../kernel/ids.ts';
import type { ExecutionDocument } from './model.ts';

/** `YYYYMMDD-NNN`; the number has four digits or more after 999. */
export function formatExecutionId(day: string, index: number): ExecutionId {
  return executionIdSchema.parse(`${day}-${String(index).padStart(3, '0')}`);
}

/** Day and number of an execution id; null if malformed. */
export function parseExecutionId(executionId: string): { day: string; index: string } | null {
  const match = /^(\d{8})-(\d{3,})$/.exec(executionId);
  return match?.[1] && match[2] ? { day: match[1], index: match[2] } : null;
}

/** Id of the workflow run that carries out an execution; empty if unknown. */
export function flowRunIdOf({ note }: Pick<ExecutionDocument, 'note'>): string {
  return note['flow_run_id'] ?? '';
}
