import type { Logger } from '../../kernel/log.ts';
import type { Author, CommittedFile } from './commit-beside.ts';
import { ConfigurationError } from './errors.ts';
import { createFileCommits, type FilesToCommit } from './file-commits.ts';
import { createGit, GitFailure, type Remote } from './git-command.ts';
import type { RepositoryStatus } from './model.ts';
import { createPulling } from './pulling.ts';
import { createPushing } from './pushing.ts';
import { failures } from './repository-problems.ts';
import { createStatusReading } from './repository-status.ts';
import { createWorkingCopy } from './working-copy.ts';

/** Milliseconds for which a status is cached: any user may request it, and it takes several processes. */
const STATUS_LIFETIME = 1000;

/**
 * The configuration directory as a git repository. Neither pull nor push ever loses work: if local and remote changes conflict,
 * they refuse and name the files.
 */
export function createRepository(directory: string, remote: Remote, log: Pick<Logger, 'warn'>) {
  const git = createGit(directory, remote);
  const origin = remote.url ?? 'origin';
  const inTurn = oneAfterAnother();
  let shownStatus: Promise<RepositoryStatus> | null = null;
  const copy = createWorkingCopy({ directory, git, origin });
  const commitFiles = createFileCommits({ git, origin, ask: copy.ask, isRepository: copy.isRepository });
  const parts = { directory, remote, origin, git, copy };
  const { pull, openBranch } = createPulling(parts);
  const { push, pushFiles } = createPushing(parts, openBranch);
  const { readStatus } = createStatusReading(parts);

  /** Reports a failure of git. */
  function fail(thrown: unknown): never {
    if (!(thrown instanceof GitFailure)) throw thrown;
    log.warn({ git: thrown.output, reason: thrown.reason }, 'git failed');
    throw new ConfigurationError('repository_unavailable', failures[thrown.reason], {
      cause: thrown,
      retryAfter: 30,
    });
  }

  function status(): Promise<RepositoryStatus> {
    if (shownStatus) return shownStatus;
    const answer = inTurn(() => readStatus()).catch(fail);
    shownStatus = answer;
    const forget = () => {
      if (shownStatus === answer) shownStatus = null;
    };
    answer.then(() => setTimeout(forget, STATUS_LIFETIME).unref(), forget);
    return answer;
  }

  function forgetStatus(): void {
    shownStatus = null;
  }

  return {
    /**
     * Status of the directory, at most a second old.
     * @throws repository_unavailable
     */
    status,
    /** Call it after the service has changed a file, so that the next status is recomputed. */
    forgetStatus,
    /**
     * Fast-forward only; an empty directory becomes a clone.
     * @throws conflict, repository_unavailable
     */
    pull: () =>
      inTurn(() => pull())
        .finally(forgetStatus)
        .catch(fail),
    /**
     * Commits certain files in their current state; does nothing without a repository.
     * @throws conflict, repository_unavailable
     */
    commitFiles: (wanted: FilesToCommit) =>
      inTurn(() => commitFiles(wanted))
        .finally(forgetStatus)
        .catch(fail),
    /** @throws conflict, repository_unavailable */
    push: (message: string, author: Author) =>
      inTurn(() => push(message, author))
        .finally(forgetStatus)
        .catch(fail),
    /**
     * Pushes files as a new branch based on the remote repository's state; nothing changes locally. An existing branch is left
     * unchanged.
     * @throws conflict, repository_unavailable
     */
    pushBranch: (branch: string, files: readonly CommittedFile[], message: string, author: Author) =>
      inTurn(() => pushFiles(branch, files, message, author)).catch(fail),
  };
}

/** Git commands of one repository must not run concurrently. */
function oneAfterAnother() {
  let last: Promise<unknown> = Promise.resolve();
  return <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    const mine = last.then(work, work);
    last = mine;
    return mine;
  };
}
