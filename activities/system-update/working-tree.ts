import { lstat, rm, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import type { Installation, NewerVersion } from '../../shared/domain/system-updates/model.ts';
import { byVersion, isStableVersion } from '../../shared/domain/system-updates/rules.ts';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';
import { createGit, GitFailed } from './git.ts';
import { createRemoteVersions, REMOTE_TAGS } from './remote-versions.ts';

/** Time limit of the remote in milliseconds: while a user waits, and during an update. */
const FETCH_PATIENCE = 8000;
const LONG_FETCH_PATIENCE = 120_000;
/** Age in milliseconds at which a git lock counts as left behind by a process that was killed with its updater. */
const LOCK_AGE = 5000;

/** Whether this path exists, or a file exists where the path has a directory. */
async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOTDIR';
  }
}

export type WorkingTree = ReturnType<typeof createWorkingTree>;

/**
 * The git working tree that updates move from version to version.
 * @param options.interval milliseconds between requests to the remote
 * @param options.signers file of allowed signers; if set, only versions signed by one of them count
 * @param options.complain called with git's error output, only for the log: it may contain addresses and file names
 */
export function createWorkingTree(
  directory: string,
  {
    interval,
    signers = null,
    complain,
  }: { interval: number; signers?: string | null; complain(output: string): void },
) {
  const commands = createGit(directory, complain);
  const { git, ifAny } = commands;
  const { fetch, manifestOf, versionsFrom } = createRemoteVersions(commands, signers);
  let lastFetch: { at: number; problem: string | null } | undefined;

  /** The newest stable tag at a commit. */
  async function tagAt(commit: string): Promise<string | null> {
    const tags = (await git(['tag', '--points-at', commit])).split('\n').filter(isStableVersion);
    return tags.sort((one, other) => byVersion({ version: one }, { version: other })).at(-1) ?? null;
  }

  async function look(patience: number, knownFor: number): Promise<Installation> {
    const commit = await git(['rev-parse', 'HEAD']);
    const isRecent = lastFetch !== undefined && performance.now() - lastFetch.at < knownFor;
    if (!isRecent || !lastFetch) lastFetch = { problem: await fetch(patience), at: performance.now() };
    const remote_problem = lastFetch.problem;
    const versions = await versionsFrom(commit);
    const newer: NewerVersion[] = [];
    for (const each of versions) {
      if (each.commit !== commit) newer.push({ ...each, manifest: await manifestOf(each.commit) });
    }
    return {
      branch: await ifAny(['symbolic-ref', '--short', '--quiet', 'HEAD']),
      commit,
      version: (await tagAt(commit)) ?? versions.findLast((each) => each.commit === commit)?.version ?? null,
      dirty: (await git(['status', '--porcelain', '--untracked-files=no'])) !== '',
      newer,
      remote_problem,
      checked_at: new Date().toISOString(),
    };
  }

  async function readable<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (thrown) {
      if (!(thrown instanceof GitFailed)) throw thrown;
      throw ApplicationFailure.create({
        message:
          'The updater cannot read its working tree with git. An operator can check UPDATE_REPOSITORY.',
        type: failureTypes.workingTree,
        nonRetryable: true,
        cause: thrown,
      });
    }
  }

  /** Removes the lock left behind by a git process that was killed with its updater. */
  async function removeLeftLock(): Promise<void> {
    const path = await git(['rev-parse', '--git-path', 'index.lock']);
    const lock = isAbsolute(path) ? path : join(directory, path);
    const found = await stat(lock).catch(() => null);
    if (found && Date.now() - found.mtimeMs > LOCK_AGE) await rm(lock, { force: true });
  }

  /** Gives the tree the tags of a version that it has moved to, so that `git describe` names it too. Own tags are kept. */
  async function tagInstalled(commit: string): Promise<void> {
    for (const { version, commit: tagged } of await versionsFrom(commit)) {
      const tag = `refs/tags/${version}`;
      if (tagged !== commit || (await ifAny(['rev-parse', '--verify', '--quiet', tag])) !== null) continue;
      await git(['update-ref', tag, `${REMOTE_TAGS}/${version}`]);
    }
  }

  return {
    /** State of the tree. The remote is asked at most once per interval, unless `fresh`. @throws WorkingTreeUnreadable */
    look: ({ fresh = false }: { fresh?: boolean } = {}) =>
      readable(() => look(FETCH_PATIENCE, fresh ? 0 : interval)),

    /** The same, but always asks the remote, and waits longer for it. @throws WorkingTreeUnreadable */
    lookAnew: () => readable(() => look(LONG_FETCH_PATIENCE, 0)),

    /** An untracked file that moving to the commit would overwrite; null if there is none. */
    async inTheWay(commit: string): Promise<string | null> {
      const range = ['--name-only', '--no-renames', '--diff-filter=A', '-z', 'HEAD', commit];
      const added = (await git(['diff', ...range])).split('\0').filter((path) => path !== '');
      for (const path of added) if (await isThere(join(directory, path))) return path;
      return null;
    },

    /**
     * Moves the branch forward to a commit. Repairs the state left by an interrupted attempt.
     * @param again whether an earlier attempt may have started the move
     */
    async forward(commit: string, again: boolean): Promise<void> {
      if (!again) {
        await git(['merge', '--ff-only', '--quiet', commit]);
        await tagInstalled(commit);
        return;
      }
      await removeLeftLock();
      // All files were as committed before, so any change comes from the previous attempt.
      await git(['merge-base', '--is-ancestor', 'HEAD', commit]);
      await git(['reset', '--hard', '--quiet', commit]);
      await tagInstalled(commit);
    },

    /** Resets branch and files to a commit, whatever a failed version has done to them. */
    async back(commit: string): Promise<void> {
      await removeLeftLock();
      await git(['reset', '--hard', '--quiet', commit]);
    },
  };
}
