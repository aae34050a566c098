import { mkdir, readdir } from 'node:fs/promises';
import type { PullAnswer } from './model.ts';
import { type RepositoryParts, short } from './repository-parts.ts';
import { refuse } from './repository-problems.ts';
import { local, remotely } from './working-copy.ts';

function listed(files: readonly string[]): string {
  const more = files.length - 5;
  return `${files.slice(0, 5).join(', ')}${more > 0 ? ` and ${more} more files` : ''}`;
}

/** Pulls the configuration from its remote repository. */
export function createPulling({ directory, git, remote, copy }: RepositoryParts) {
  const { ask, branchNow, changes, commitNow, fetchTip, forgetAdded, isAncestor, isRepository, subjectOf } =
    copy;

  /** The branch that is checked out. @throws conflict without a repository, a remote one or a branch */
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

  /** Makes an empty directory a clone of the remote repository. */
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

  /** The answer after a pull. */
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

  return { pull, openBranch };
}
