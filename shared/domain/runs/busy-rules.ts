import type { CalibronError } from '../../kernel/errors.ts';
import type { ExecutionId } from '../../kernel/ids.ts';
import { RunError } from './errors.ts';

/** Name of a project's holder for use in messages; null when it has ended meanwhile. */
export function holderName(holder: { execution_id: ExecutionId } | null): string {
  return holder?.execution_id ? `execution ${holder.execution_id}` : 'another run';
}

/**
 * Error for an action that is refused because a run holds the project.
 * @param holder null when the run has ended meanwhile
 * @param then what the caller may do once the run has ended
 * @param why the action may not take place in between, as the continuation of a sentence
 */
export function projectBusy(
  holder: { execution_id: ExecutionId } | null,
  then: string,
  why: string | null = null,
): CalibronError {
  const held = `The project is held by ${holderName(holder)}${why === null ? '' : `, and ${why}`}.`;
  return new RunError('project_busy', `${held} Wait for it to end or cancel it, then ${then}.`);
}
