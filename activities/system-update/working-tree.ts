import { execFile } from 'node:child_process';
import { lstat, rm, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import {
  type Installation,
  type NewerVersion,
  type UpdateManifest,
  updateManifest,
} from '../../shared/domain/system-updates/model.ts';
import { byVersion, isStableVersion, MAIN } from '../../shared/domain/system-updates/rules.ts';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';

const REMOTE = 'origin';
const REMOTE_MAIN = `refs/remotes/${REMOTE}/${MAIN}`;
/** Copies of the remote's tags. Local tags do not count as releases. */
const REMOTE_TAGS = 'refs/calibron/tags';
const MANIFEST = 'update-manifest.json';

/** Time limit of the remote in milliseconds: while a user waits, and during an update. */
const FETCH_PATIENCE = 8000;
const LONG_FETCH_PATIENCE = 120_000;
/** Time limit of local git commands in milliseconds. */
const LOCAL_LIMIT = 60_000;
/** Maximum output of one command in bytes. */
const MAX_OUTPUT = 1024 * 1024;
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

/** Git options that prevent hooks and monitors of the repository from running. */
const rules = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'submodule.recurse=false'].flatMap(
  (rule) => ['-c', rule],
);

class GitFailed extends Error {
  override readonly name = 'GitFailed';
  readonly exitCode: number | null;
  constructor(exitCode: number | null, cause: Error) {
    super('git failed', { cause });
    this.exitCode = exitCode;
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
  let lastFetch: { at: number; problem: string | null } | undefined;

  function git(args: readonly string[], timeout = LOCAL_LIMIT): Promise<string> {
    return new Promise((resolve, reject) => {
      const env = {
        ...process.env,
        LC_ALL: 'C',
        GIT_TERMINAL_PROMPT: '0',
        GIT_SSH_COMMAND: process.env['GIT_SSH_COMMAND'] ?? 'ssh -o BatchMode=yes',
      };
      execFile(
        'git',
        [...rules, ...args],
        { cwd: directory, env, timeout, maxBuffer: MAX_OUTPUT, killSignal: 'SIGKILL' },
        (thrown, stdout, stderr) => {
          if (!thrown) return resolve(stdout.trim());
          // A command that answers "no" by exit code 1 prints nothing to stderr.
          if (stderr.trim() !== '' || thrown.killed)
            complain(stderr.trim() || `git ${args[0]}: no answer in time`);
          reject(new GitFailed(typeof thrown.code === 'number' ? thrown.code : null, thrown));
        },
      );
    });
  }

  /** Output of a command; null if it answers "no" by exit code 1. */
  async function ifAny(args: readonly string[]): Promise<string | null> {
    try {
      return await git(args);
    } catch (thrown) {
      if (thrown instanceof GitFailed && thrown.exitCode === 1) return null;
      throw thrown;
    }
  }

  /** Fetches main and the tags of the remote. @returns why it did not answer; null on success */
  async function fetch(patience: number): Promise<string | null> {
    const refs = [`+refs/heads/${MAIN}:${REMOTE_MAIN}`, `+refs/tags/v*:${REMOTE_TAGS}/v*`];
    let problem: string | null = null;
    try {
      await git(
        ['fetch', '--quiet', '--prune', '--no-tags', '--no-recurse-submodules', REMOTE, ...refs],
        patience,
      );
    } catch (thrown) {
      if (!(thrown instanceof GitFailed)) throw thrown;
      problem = `The remote ${REMOTE} of the working tree cannot be asked for new versions.`;
    }
    lastFetch = { at: performance.now(), problem };
    return problem;
  }

  async function manifestOf(commit: string): Promise<UpdateManifest | null> {
    if ((await git(['ls-tree', '--name-only', commit, '--', MANIFEST])) === '') return null;
    try {
      const read = updateManifest.safeParse(JSON.parse(await git(['show', `${commit}:${MANIFEST}`])));
      return read.success ? read.data : null;
    } catch (thrown) {
      if (thrown instanceof GitFailed || thrown instanceof SyntaxError) return null;
      throw thrown;
    }
  }

  /**
   * Whether a tag is signed by an allowed signer, if signatures are required. The signature covers the name within the tag,
   * so the tag of an older version cannot be passed off as another version. Only SSH signatures count, because other
   * signature programs use their own keys.
   */
  async function isTrusted({ version, object, name }: { version: string; object: string; name?: string }) {
    if (signers === null) return true;
    if (name !== version) return false;
    const trust = [
      `gpg.ssh.allowedSignersFile=${signers}`,
      'gpg.openpgp.program=false',
      'gpg.x509.program=false',
    ];
    try {
      await git([...trust.flatMap((each) => ['-c', each]), 'verify-tag', object]);
      return true;
    } catch (thrown) {
      if (thrown instanceof GitFailed) return false;
      throw thrown;
    }
  }

  /** Stable versions on the remote's main that contain a commit (including the version at that commit itself). */
  async function versionsFrom(commit: string): Promise<{ version: string; commit: string }[]> {
    // If main is unknown, there are no known versions.
    if ((await ifAny(['rev-parse', '--verify', '--quiet', REMOTE_MAIN])) === null) return [];
    const listed = await git([
      'for-each-ref',
      '--format=%(refname:strip=3) %(objectname) %(*objectname) %(tag)',
      `--merged=${REMOTE_MAIN}`,
      `--contains=${commit}`,
      REMOTE_TAGS,
    ]);
    const versions = listed
      .split('\n')
      .map((line) => line.split(' '))
      .flatMap(([version = '', object = '', peeled, name]) =>
        isStableVersion(version) ? [{ version, object, name, commit: peeled || object }] : [],
      );
    const signed = await Promise.all(versions.map(isTrusted));
    return versions
      .filter((_, position) => signed[position])
      .map((each) => ({ version: each.version, commit: each.commit }))
      .sort(byVersion);
  }

  /** The newest stable tag at a commit. */
  async function tagAt(commit: string): Promise<string | null> {
    const tags = (await git(['tag', '--points-at', commit])).split('\n').filter(isStableVersion);
    return tags.sort((one, other) => byVersion({ version: one }, { version: other })).at(-1) ?? null;
  }

  async function look(patience: number, knownFor: number): Promise<Installation> {
    const commit = await git(['rev-parse', 'HEAD']);
    const isRecent = lastFetch !== undefined && performance.now() - lastFetch.at < knownFor;
    const remote_problem = isRecent && lastFetch ? lastFetch.problem : await fetch(patience);
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
