import { mkdir, readdir } from 'node:fs/promises';
import { CalibronError } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import { type Author, type CommittedFile, commitBeside } from './commit-beside.ts';
import { ConfigurationError } from './errors.ts';
import { createFileCommits, type FilesToCommit } from './file-commits.ts';
import { createGit, GitFailure, type Remote } from './git-command.ts';
import type { PullAnswer, PushAnswer, RepositoryStatus } from './model.ts';
import { createWorkingCopy, local, remotely } from './working-copy.ts';

/** Milliseconds for which a status does not fetch from the remote repository again. */
const FETCH_INTERVAL = 60_000;
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
  let askedAt = 0;
  let shownStatus: Promise<RepositoryStatus> | null = null;
  const copy = createWorkingCopy({ directory, git, origin });
  const { ask, branchNow, changes, commitNow, fetchTip, forgetAdded, isAncestor, isRepository, subjectOf } =
    copy;
  const commitFiles = createFileCommits({ git, origin, ask, isRepository });

  async function openBranch(): Promise<string> {
    if (!(await isRepository()))
      throw refuse('The configuration directory is not a git repository yet; pull first.');
    if (remote.url === null && (await ask('remote', 'get-url', 'origin')) === null) {
      throw refuse('The configuration has no remote repository; the setting CONFIG_REPO_URL names it.');
    }
    const branch = await branchNow();
    if (!branch)
      throw refuse('No branch is checked out in the configuration directory; check one out there.');
    return branch;
  }

  async function clone(): Promise<PullAnswer> {
    if (remote.url === null) {
      throw refuse('The configuration has no remote repository; the setting CONFIG_REPO_URL names it.');
    }
    if ((await readdir(directory)).length > 0) {
      throw refuse(
        'The configuration directory holds files and is not a git repository; move them away, or make it one.',
      );
    }
    await git(['clone', '--quiet', '--no-recurse-submodules', remote.url, '.'], remotely);
    return pulled('The repository was cloned.');
  }

  async function pulled(message: string): Promise<PullAnswer> {
    const commit = await commitNow();
    if (!commit) throw refuse('The remote repository has no commit yet; push the first one.');
    return { success: true, commit: short(commit), commit_message: await subjectOf(commit), message };
  }

  /** Pulls the commits of the remote repository, unless local changes conflict. */
  async function pull(): Promise<PullAnswer> {
    await mkdir(directory, { recursive: true });
    if (!(await isRepository())) return clone();
    const branch = await openBranch();
    const [tip, commit] = [await fetchTip(branch), await commitNow()];
    if (!tip) throw refuse(`The remote repository has no branch ${branch}.`);
    if (commit && (await isAncestor(tip, commit))) return pulled('There was nothing new.');
    if (commit && !(await isAncestor(commit, tip))) {
      throw refuse(
        'Commits were made here and in the remote repository; merge them in the directory with git.',
      );
    }
    const { changed, untracked } = await changes();
    const incoming = await git(
      [
        'diff',
        '--name-only',
        '-z',
        '--no-renames',
        ...(commit ? [commit, tip] : [await copy.emptyTree(), tip]),
      ],
      local,
    );
    const mine = new Set([...changed, ...untracked]);
    const met = incoming.split('\0').filter((file) => mine.has(file));
    const differing = await copy.differingFrom(tip, met);
    if (differing.length > 0) {
      await forgetAdded(commit);
      throw refuse(`Nothing was pulled: ${listed(differing)} changed here and in the remote repository.`);
    }
    await git(['merge', '--quiet', '--ff-only', tip], local).catch(async (thrown) => {
      await forgetAdded(commit);
      throw refuse(
        'Nothing was pulled: local changes are in the way; resolve this in the directory with git.',
        thrown,
      );
    });
    return pulled('The newest commits were pulled.');
  }

  /**
   * Commits the changes and pushes them to the checked-out branch. The local branch moves after the remote repository has the
   * commit.
   */
  async function push(message: string, author: Author): Promise<PushAnswer> {
    const branch = await openBranch();
    const [tip, base] = [await fetchTip(branch), await commitNow()];
    if (tip && !(base && (await isAncestor(tip, base)))) {
      throw refuse('Nothing was pushed: the remote repository has newer commits; pull first.');
    }
    try {
      const commit = await copy.commitChanges(base, message, author);
      if (!commit || commit === tip) return nothingToPush;
      await git(['push', '--quiet', '--porcelain', origin, `${commit}:refs/heads/${branch}`], remotely);
      await git(['update-ref', `refs/heads/${branch}`, commit, ...(base ? [base] : [])], local);
      await git(['update-ref', `refs/remotes/origin/${branch}`, commit], local);
      return {
        success: true,
        message: 'The changes were pushed.',
        commit: short(commit),
        commit_message: await subjectOf(commit),
        branch,
        pr_url: null,
        pr_number: null,
      };
    } catch (thrown) {
      await forgetAdded(base);
      if (thrown instanceof GitFailure && /^!\t/m.test(thrown.output)) {
        throw refuse(
          'Nothing was pushed: the remote repository refuses the commit; pull, then push again.',
          thrown,
        );
      }
      throw thrown;
    }
  }

  /** See `pushBranch` below. */
  async function pushFiles(
    branch: string,
    files: readonly CommittedFile[],
    message: string,
    author: Author,
  ): Promise<void> {
    const checkedOut = await openBranch();
    if ((await git(['ls-remote', origin, `refs/heads/${branch}`], remotely)) !== '') return;
    const base = (await fetchTip(checkedOut)) ?? (await commitNow());
    const commit = await commitBeside(git, base, files, { message, author, ...local });
    await git(['push', '--quiet', '--porcelain', origin, `${commit}:refs/heads/${branch}`], remotely);
  }

  async function readStatus(): Promise<RepositoryStatus> {
    if (!(await isRepository())) {
      return { is_git_repo: false, message: 'The configuration directory is not a git repository.' };
    }
    const [branch, commit, { changed, untracked }] = [await branchNow(), await commitNow(), await changes()];
    return {
      is_git_repo: true,
      branch,
      commit: commit && short(commit),
      commit_message: commit && (await subjectOf(commit)),
      is_dirty: changed.length > 0 || untracked.length > 0,
      changed_files: changed,
      untracked_files: untracked,
      has_remote_updates: branch !== null && (await hasRemoteUpdates(branch, commit)),
    };
  }

  async function hasRemoteUpdates(branch: string, commit: string | null): Promise<boolean> {
    if (Date.now() - askedAt > FETCH_INTERVAL) {
      askedAt = Date.now();
      // Without the remote repository, the status uses the last fetch.
      await fetchTip(branch).catch(() => null);
    }
    const tip = await ask('rev-parse', '--verify', '--quiet', `refs/remotes/origin/${branch}`);
    return tip !== null && !(commit !== null && (await isAncestor(tip, commit)));
  }

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

const nothingToPush: PushAnswer = {
  success: true,
  message: 'There was nothing to push.',
  commit: null,
  commit_message: null,
  branch: null,
  pr_url: null,
  pr_number: null,
};

function refuse(sentence: string, cause?: unknown): CalibronError {
  return new CalibronError('conflict', sentence, { cause });
}

const failures: Record<GitFailure['reason'], string> = {
  not_installed: 'git is not installed where the service runs.',
  timeout: 'The remote repository of the configuration does not answer; try again.',
  failed:
    'git failed: the remote repository cannot be reached, refuses the credentials, or git is in use there.',
};

function short(commit: string): string {
  return commit.slice(0, 8);
}

function listed(files: readonly string[]): string {
  const more = files.length - 5;
  return `${files.slice(0, 5).join(', ')}${more > 0 ? ` and ${more} more files` : ''}`;
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
