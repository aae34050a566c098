import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isShown } from '../../kernel/files/shown-names.ts';
import { type Author, authorEnvironment } from './commit-beside.ts';
import { type Git, GitFailure } from './git-command.ts';

/** Timeouts in milliseconds of commands without and with access to the remote repository. */
export const local = { timeout: 20_000 };
export const remotely = { timeout: 60_000 };
/** Files that the service and its clients do not see are excluded here as well. */
const shownFiles = [
  '.',
  ':(exclude,glob)**/.*',
  ':(exclude,glob)**/.*/**',
  ':(exclude,glob)**/__pycache__/**',
];

/** Changes of the working tree relative to the checked-out commit. */
interface Changes {
  changed: string[];
  untracked: string[];
}

/** The working tree of the configuration with its local commits, and the last fetch of the remote repository. */
export function createWorkingCopy({
  directory,
  git,
  origin,
}: {
  directory: string;
  git: Git;
  origin: string;
}) {
  const isRepository = () =>
    stat(join(directory, '.git')).then(
      () => true,
      () => false,
    );

  /** The output of a command that may fail; null then. */
  const ask = (...args: string[]) =>
    git(args, local).then(
      (text) => text.trim() || null,
      (thrown) => {
        if (thrown instanceof GitFailure && thrown.reason === 'failed') return null;
        throw thrown;
      },
    );

  const branchNow = () => ask('symbolic-ref', '--short', '--quiet', 'HEAD');
  const commitNow = () => ask('rev-parse', '--verify', '--quiet', 'HEAD');
  const subjectOf = async (commit: string) => (await ask('show', '--no-patch', '--format=%s', commit)) ?? '';
  const isAncestor = async (older: string, newer: string) =>
    (await git(['rev-list', '--max-count=1', older, `^${newer}`], local)) === '';

  /** Fetches the newest commit of a branch of the remote repository; null if it has no such branch. */
  async function fetchTip(branch: string): Promise<string | null> {
    const listed = await git(['ls-remote', origin, `refs/heads/${branch}`], remotely);
    const tip = /^([0-9a-f]{40,64})\t/.exec(listed)?.[1];
    if (!tip) return null;
    const follow = `+refs/heads/${branch}:refs/remotes/origin/${branch}`;
    await git(['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', origin, follow], remotely);
    return tip;
  }

  async function changes(): Promise<Changes> {
    const listed = await git(['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all'], local);
    const files = listed.split('\0').filter((line) => line !== '' && line.slice(3).split('/').every(isShown));
    const named = (isUntracked: boolean) =>
      files.filter((line) => line.startsWith('??') === isUntracked).map((line) => line.slice(3));
    return { changed: named(false), untracked: named(true) };
  }

  /**
   * The given files that differ from the commit. The others already match it, for example after an interrupted push that had
   * reached the remote repository. All are added to git's index, so that a merge finds them up to date.
   */
  async function differingFrom(commit: string, files: readonly string[]): Promise<string[]> {
    if (files.length === 0) return [];
    await git(['--literal-pathspecs', 'add', '--all', '--', ...files], local);
    const found = await git(
      [
        '--literal-pathspecs',
        'diff',
        '--cached',
        '--name-only',
        '-z',
        '--no-renames',
        commit,
        '--',
        ...files,
      ],
      local,
    );
    return found.split('\0').filter((file) => file !== '');
  }

  /** Unstages everything; the changes stay in the working tree. */
  async function forgetAdded(base: string | null): Promise<void> {
    if (base) await git(['reset', '--quiet'], local);
  }

  const emptyTree = async () => (await git(['hash-object', '-t', 'tree', '/dev/null'], local)).trim();

  /** A commit of all changes, not yet on any branch; the current commit if there are none. */
  async function commitChanges(base: string | null, message: string, author: Author): Promise<string | null> {
    await git(['add', '--all', '--', ...shownFiles], local);
    const tree = (await git(['write-tree'], local)).trim();
    const present = base ? await ask('rev-parse', `${base}^{tree}`) : await emptyTree();
    if (tree === present) return base;
    const environment = authorEnvironment(author);
    const parents = base ? ['-p', base] : [];
    const made = await git(['commit-tree', ...parents, '-m', message, tree], { ...local, environment });
    return made.trim();
  }

  return {
    ask,
    branchNow,
    changes,
    commitChanges,
    commitNow,
    differingFrom,
    emptyTree,
    fetchTip,
    forgetAdded,
    isAncestor,
    isRepository,
    subjectOf,
  };
}
