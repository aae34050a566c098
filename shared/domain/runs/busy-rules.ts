import { CalibronError } from '../../kernel/errors.ts';

/** How a sentence names the holder of a project; null when it has ended since. */
export function holderName(holder: { execution_id: string } | null): string {
  return holder?.execution_id ? `execution ${holder.execution_id}` : 'another run';
}

/**
 * Why something cannot be done to a project that a run holds.
 * @param holder null when the run has ended since
 * @param then what the caller may do once it has
 */
export function projectBusy(holder: { execution_id: string } | null, then: string): CalibronError {
  return new CalibronError(
    'project_busy',
    `The project is held by ${holderName(holder)}. Wait for it to end or cancel it, then ${then}.`,
  );
}
