import { CalibronError } from '../../kernel/errors.ts';

/**
 * Why something cannot be done to a project that a run holds.
 * @param holder null when the run has ended since
 * @param then what the caller may do once it has
 */
export function projectBusy(holder: { execution_id: string } | null, then: string): CalibronError {
  const by = holder?.execution_id ? `execution ${holder.execution_id}` : 'another run';
  return new CalibronError(
    'project_busy',
    `The project is held by ${by}. Wait for it to end or cancel it, then ${then}.`,
  );
}
