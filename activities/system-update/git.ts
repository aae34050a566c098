import { execFile } from 'node:child_process';

/** Time limit of local git commands in milliseconds. */
const LOCAL_LIMIT = 60_000;
/** Maximum output of one command in bytes. */
const MAX_OUTPUT = 1024 * 1024;

/** Git options that prevent hooks and monitors of the repository from running. */
const rules = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'submodule.recurse=false'].flatMap(
  (rule) => ['-c', rule],
);

export class GitFailed extends Error {
  override readonly name = 'GitFailed';
  readonly exitCode: number | null;
  constructor(exitCode: number | null, cause: Error) {
    super('git failed', { cause });
    this.exitCode = exitCode;
  }
}

export type Git = ReturnType<typeof createGit>;

/**
 * Git in a directory.
 * @param complain called with git's error output, only for the log: it may contain addresses and file names
 */
export function createGit(directory: string, complain: (output: string) => void) {
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

  return { git, ifAny };
}
