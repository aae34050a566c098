import { CalibronError } from '../../kernel/errors.ts';
import { commitTree, treeBeside } from './commit-beside.ts';
import { type Git, GitFailure } from './git-command.ts';

/** Files of the configuration as they are now, to be made a version of. */
export interface FilesToCommit {
  /** Paths within the configuration. */
  files: readonly string[];
  message: string;
  author: { username: string };
  /** The same for each try, so that each makes the same commit. */
  at: Date;
  /** Whether the remote repository gets it too. */
  push: boolean;
}

/** The commit that was there before, and the one that holds the files; both null without a repository. */
interface FileCommit {
  base: string | null;
  commit: string | null;
}

interface Dependencies {
  git: Git;
  /** Address or name of the remote repository. */
  origin: string;
  /** The text of a command that may have nothing to say; null when it fails. */
  ask(...args: string[]): Promise<string | null>;
  isRepository(): Promise<boolean>;
}

/** Milliseconds of commands that ask nobody, and of those that ask the remote repository. */
const local = { timeout: 20_000 };
const remotely = { timeout: 60_000 };

/**
 * Makes a commit of certain files, whatever else has changed, in an index of its own. The branch moves last, when the
 * remote repository has the commit: until then nothing has happened here. Safe to run twice.
 */
export function createFileCommits({ git, origin, ask, isRepository }: Dependencies) {
  async function send(commit: string, branch: string): Promise<void> {
    try {
      await git(['push', '--quiet', '--porcelain', origin, `${commit}:refs/heads/${branch}`], remotely);
    } catch (thrown) {
      if (!(thrown instanceof GitFailure)) throw thrown;
      // The answer may have been lost on its way.
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
      throw new CalibronError('conflict', 'Nothing can be pushed: the configuration is no git repository.');
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
    // What git's own index says of them would look like a change; a failure there is no failure of the commit.
    await git(['--literal-pathspecs', 'add', '--', ...files], local).catch(() => '');
    const before = isThere && (await isOwn(commit, wanted)) ? await ask('rev-parse', `${commit}^`) : base;
    return { base: before, commit };
  };

  /** Whether an earlier try made a commit. */
  async function isOwn(commit: string, { message }: FilesToCommit): Promise<boolean> {
    return (await ask('show', '--no-patch', '--format=%B', commit)) === message.trim();
  }
}
