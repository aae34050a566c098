import { CalibronError } from '../../kernel/errors.ts';
import { commitTree, treeBeside } from './commit-beside.ts';
import { type Git, GitFailure } from './git-command.ts';

/** Files of the configuration to commit in their current state. */
export interface FilesToCommit {
  /** Paths within the configuration. */
  files: readonly string[];
  message: string;
  author: { username: string };
  /** The same for each attempt, so that all attempts create the same commit. */
  at: Date;
  /** Whether to push to the remote repository as well. */
  push: boolean;
}

/** The previous commit, and the commit with the files; both null without a repository. */
interface FileCommit {
  base: string | null;
  commit: string | null;
}

interface Dependencies {
  git: Git;
  /** Address or name of the remote repository. */
  origin: string;
  /** The output of a command that may fail; null then. */
  ask(...args: string[]): Promise<string | null>;
  isRepository(): Promise<boolean>;
}

/** Timeouts in milliseconds of commands without and with access to the remote repository. */
const local = { timeout: 20_000 };
const remotely = { timeout: 60_000 };

/**
 * Commits certain files, regardless of other changes, with a separate index. The branch moves last, after the remote repository
 * has the commit; until then nothing has changed locally. Safe to run twice.
 */
export function createFileCommits({ git, origin, ask, isRepository }: Dependencies) {
  async function send(commit: string, branch: string): Promise<void> {
    try {
      await git(['push', '--quiet', '--porcelain', origin, `${commit}:refs/heads/${branch}`], remotely);
    } catch (thrown) {
      if (!(thrown instanceof GitFailure)) throw thrown;
      // The push may have succeeded although its answer was lost.
      const listed = await git(['ls-remote', origin, `refs/heads/${branch}`], remotely).catch(() => '');
      if (listed.startsWith(`${commit}\t`)) return;
      if (!/^!\t/m.test(thrown.output)) throw thrown;
      throw new CalibronError(
        'conflict',
        'The remote repository refuses the commit; it may have newer ones.',
        {
          cause: thrown,
        },
      );
    }
  }

  return async (wanted: FilesToCommit): Promise<FileCommit> => {
    const { files, push } = wanted;
    if (!(await isRepository())) {
      if (!push) return { base: null, commit: null };
      throw new CalibronError(
        'conflict',
        'Nothing can be pushed: the configuration is not a git repository.',
      );
    }
    const branch = await ask('symbolic-ref', '--short', '--quiet', 'HEAD');
    if (!branch)
      throw new CalibronError('conflict', 'No branch is checked out in the configuration directory.');
    const base = await ask('rev-parse', '--verify', '--quiet', 'HEAD');
    const present = files.map((path) => ({ path, source: ['--', path] }));
    const tree = await treeBeside(git, base, present, local.timeout);
    const isThere = base !== null && (await ask('rev-parse', `${base}^{tree}`)) === tree;
    const commit = isThere ? base : await commitTree(git, { tree, base }, { ...wanted, ...local });
    if (push) await send(commit, branch);
    if (!isThere) {
      await git(['update-ref', `refs/heads/${branch}`, commit, ...(base ? [base] : [])], local);
    }
    // Otherwise git's own index would show the files as changed. An error here does not fail the commit.
    await git(['--literal-pathspecs', 'add', '--', ...files], local).catch(() => '');
    const before = isThere && (await isOwn(commit, wanted)) ? await ask('rev-parse', `${commit}^`) : base;
    return { base: before, commit };
  };

  /** Whether an earlier attempt created a commit. */
  async function isOwn(commit: string, { message }: FilesToCommit): Promise<boolean> {
    return (await ask('show', '--no-patch', '--format=%B', commit)) === message.trim();
  }
}
