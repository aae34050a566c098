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
/** The remote's tags as they are there: tags that somebody made here sign nothing off. */
const REMOTE_TAGS = 'refs/calibron/tags';
const MANIFEST = 'update-manifest.json';

/** Milliseconds that the remote has to answer somebody who waits, and an update. */
const FETCH_PATIENCE = 8000;
const LONG_FETCH_PATIENCE = 120_000;
/** Milliseconds for what git does here. */
const LOCAL_LIMIT = 60_000;
/** Bytes of output that are read of one command. */
const MAX_OUTPUT = 1024 * 1024;
/** Milliseconds after which the lock of a git that was killed with its updater is a leftover. */
const LOCK_AGE = 5000;

/** Whether anything has this path, or is a file where the path has a directory. */
async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOTDIR';
  }
}

/** Nothing in the repository runs by itself, and nothing asks at a terminal. */
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
 * The git working tree that updates bring from version to version.
 * @param options.interval milliseconds between two questions to the remote
 * @param options.signers file of allowed signers; with it, versions without a signature of theirs do not count
 * @param options.complain hears what git said when it failed, for the log alone: it may name addresses and files
 */
export function createWorkingTree(
  directory: string,
  {
    interval,
    signers = null,
    complain,
  }: { interval: number; signers?: string | null; complain(said: string): void },
) {
  let asked: { at: number; problem: string | null } | undefined;

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
          // A command that says no by exit code 1 says nothing else.
          if (stderr.trim() !== '' || thrown.killed)
            complain(stderr.trim() || `git ${args[0]}: no answer in time`);
          reject(new GitFailed(typeof thrown.code === 'number' ? thrown.code : null, thrown));
        },
      );
    });
  }

  /** The answer of a command that says no by exit code 1. */
  async function ifAny(args: readonly string[]): Promise<string | null> {
    try {
      return await git(args);
    } catch (thrown) {
      if (thrown instanceof GitFailed && thrown.exitCode === 1) return null;
      throw thrown;
    }
  }

  /** Asks the remote for its main and its tags. @returns why it did not answer, null when it did */
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
    asked = { at: performance.now(), problem };
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
   * Whether a tag is signed by an allowed signer, where that is asked for. The signature covers the name within the tag: the
   * tag of an older version does not pass for another one. Only SSH signatures count; other programs have keys of their own.
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

  /** Stable versions of the remote that main has and that go beyond a commit, with the commit itself. */
  async function versionsFrom(commit: string): Promise<{ version: string; commit: string }[]> {
    // Where main is not known, no version of it is.
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
    const isRecent = asked !== undefined && performance.now() - asked.at < knownFor;
    const remote_problem = isRecent && asked ? asked.problem : await fetch(patience);
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

  /** A git that was killed with its updater leaves its lock behind. */
  async function removeLeftLock(): Promise<void> {
    const path = await git(['rev-parse', '--git-path', 'index.lock']);
    const lock = isAbsolute(path) ? path : join(directory, path);
    const found = await stat(lock).catch(() => null);
    if (found && Date.now() - found.mtimeMs > LOCK_AGE) await rm(lock, { force: true });
  }

  return {
    /** How it stands; the remote is asked at most once in each interval. @throws WorkingTreeUnreadable */
    look: () => readable(() => look(FETCH_PATIENCE, interval)),

    /** The same with the remote asked now. @throws WorkingTreeUnreadable */
    lookAnew: () => readable(() => look(LONG_FETCH_PATIENCE, 0)),

    /** A file of a commit that lies here without being git's: to move to the commit would overwrite it. Null for none. */
    async inTheWay(commit: string): Promise<string | null> {
      const range = ['--name-only', '--no-renames', '--diff-filter=A', '-z', 'HEAD', commit];
      const added = (await git(['diff', ...range])).split('\0').filter((path) => path !== '');
      for (const path of added) if (await isThere(join(directory, path))) return path;
      return null;
    },

    /**
     * Moves the branch forward to a commit. What an attempt that was cut off has left is put right.
     * @param again whether an earlier attempt may have begun it
     */
    async forward(commit: string, again: boolean): Promise<void> {
      if (!again) {
        await git(['merge', '--ff-only', '--quiet', commit]);
        return;
      }
      await removeLeftLock();
      // Nobody but the attempt before has changed a file since all were as committed.
      await git(['merge-base', '--is-ancestor', 'HEAD', commit]);
      await git(['reset', '--hard', '--quiet', commit]);
    },

    /** Puts branch and files back to a commit, whatever a version that failed has done to them. */
    async back(commit: string): Promise<void> {
      await removeLeftLock();
      await git(['reset', '--hard', '--quiet', commit]);
    },
  };
}
