import type { Git, Remote } from './git-command.ts';
import type { createWorkingCopy } from './working-copy.ts';

/** What the operations on the repository share. */
export interface RepositoryParts {
  directory: string;
  remote: Remote;
  /** Address or name of the remote repository. */
  origin: string;
  git: Git;
  copy: ReturnType<typeof createWorkingCopy>;
}

/** A commit as people see it. */
export function short(commit: string): string {
  return commit.slice(0, 8);
}
