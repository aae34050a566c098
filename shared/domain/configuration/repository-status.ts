import type { RepositoryStatus } from './model.ts';
import { type RepositoryParts, short } from './repository-parts.ts';

/** Milliseconds for which a status does not fetch from the remote repository again. */
const FETCH_INTERVAL = 60_000;

/** Reads the state of the configuration directory. */
export function createStatusReading({ copy }: Pick<RepositoryParts, 'copy'>) {
  const { ask, branchNow, changes, commitNow, fetchTip, isAncestor, isRepository, subjectOf } = copy;
  /** When the remote repository was last fetched. */
  let askedAt = 0;

  /** State of the directory, compared with the remote repository. */
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

  /** Whether the remote repository has commits that the directory lacks. */
  async function hasRemoteUpdates(branch: string, commit: string | null): Promise<boolean> {
    if (Date.now() - askedAt > FETCH_INTERVAL) {
      askedAt = Date.now();
      // Without the remote repository, the status uses the last fetch.
      await fetchTip(branch).catch(() => null);
    }
    const tip = await ask('rev-parse', '--verify', '--quiet', `refs/remotes/origin/${branch}`);
    return tip !== null && !(commit !== null && (await isAncestor(tip, commit)));
  }

  return { readStatus };
}
