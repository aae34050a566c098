import { type Author, type CommittedFile, commitBeside } from './commit-beside.ts';
import { GitFailure } from './git-command.ts';
import type { PushAnswer } from './model.ts';
import { type RepositoryParts, short } from './repository-parts.ts';
import { refuse } from './repository-problems.ts';
import { local, remotely } from './working-copy.ts';

const nothingToPush: PushAnswer = {
  success: true,
  message: 'There was nothing to push.',
  commit: null,
  commit_message: null,
  branch: null,
  pr_url: null,
  pr_number: null,
};

/** Pushes changes of the configuration to its remote repository. */
export function createPushing({ git, origin, copy }: RepositoryParts, openBranch: () => Promise<string>) {
  const { commitNow, fetchTip, forgetAdded, isAncestor, subjectOf } = copy;

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

  /** Pushes files as a new branch, without a change to the directory. */
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

  return { push, pushFiles };
}
