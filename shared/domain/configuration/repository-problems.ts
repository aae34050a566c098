import { CalibronError } from '../../kernel/errors.ts';
import type { GitFailure } from './git-command.ts';

/** The repository is in a state in which the request cannot be carried out. */
export function refuse(message: string, cause?: unknown): CalibronError {
  return new CalibronError('conflict', message, { cause });
}

/** Messages about failures of git. */
export const failures: Record<GitFailure['reason'], string> = {
  not_installed: 'git is not installed where the service runs.',
  timeout: 'The remote repository of the configuration does not answer; try again.',
  failed:
    'git failed: the remote repository cannot be reached, refuses the credentials, or git is in use there.',
};
