import { execFile } from 'node:child_process';
import { dirname } from 'node:path';

/** Maximum size in bytes of the output of one command that is kept. */
const MAX_OUTPUT_BYTES = 10 * 1024 * 1024;

export interface Remote {
  /** Address without credentials; null: the repository's `origin`. */
  url: string | null;
  user: string;
  token: string | null;
}

/** git failed. Its output may contain addresses and files of the machine: it is for the log, never for clients. */
export class GitFailure extends Error {
  override name = 'GitFailure';
  readonly reason: 'not_installed' | 'timeout' | 'failed';
  readonly output: string;

  constructor(reason: GitFailure['reason'], output: string, cause: unknown) {
    super(`git: ${reason}`, { cause });
    this.reason = reason;
    this.output = output;
  }
}

/** Variables of the process's environment that git needs. The service's secrets must not be among them. */
const passedOn = [
  'PATH',
  'HOME',
  'TMPDIR',
  'SSH_AUTH_SOCK',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_SSL_CAINFO',
];
const proxies = ['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy'];

/** Answers git's request for credentials from the environment, so that they appear in no argument, address or file. */
const credentialHelper =
  '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$CALIBRON_GIT_USER" "$CALIBRON_GIT_TOKEN"; }; f';

/** Options of every command: a repository's content and settings must not run programs or refer to other places. */
const rules = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.symlinks=false',
  'core.quotePath=false',
  'commit.gpgSign=false',
  'http.followRedirects=false',
  'submodule.recurse=false',
  'credential.helper=',
  'advice.detachedHead=false',
].flatMap((rule) => ['-c', rule]);

export interface GitOptions {
  /** Milliseconds. */
  timeout: number;
  environment?: Readonly<Record<string, string>>;
}

/** Runs git in a directory, without a shell and without prompts, with fixed options. Returns its output. */
export function createGit(directory: string, { user, token }: Remote) {
  const credentials = token === null ? [] : ['-c', `credential.helper=${credentialHelper}`];
  return (args: readonly string[], { timeout, environment = {} }: GitOptions): Promise<string> =>
    new Promise((resolve, reject) => {
      const env = {
        ...fromProcess(),
        LC_ALL: 'C',
        GIT_TERMINAL_PROMPT: '0',
        GIT_ASKPASS: 'true',
        GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
        GIT_ALLOW_PROTOCOL: 'https:ssh:file',
        GIT_CONFIG_GLOBAL: '/dev/null',
        // The parents of the directory may belong to another repository.
        GIT_CEILING_DIRECTORIES: dirname(directory),
        ...(token !== null && { CALIBRON_GIT_USER: user, CALIBRON_GIT_TOKEN: token }),
        ...environment,
      };
      execFile(
        'git',
        [...rules, ...credentials, ...args],
        { cwd: directory, env, timeout, maxBuffer: MAX_OUTPUT_BYTES, killSignal: 'SIGKILL' },
        (thrown, stdout, stderr) => {
          if (!thrown) return resolve(stdout);
          const reason = thrown.code === 'ENOENT' ? 'not_installed' : thrown.killed ? 'timeout' : 'failed';
          const output = `${stdout}${stderr}`.slice(0, 2000);
          reject(new GitFailure(reason, token ? output.replaceAll(token, '…') : output, thrown));
        },
      );
    });
}

export type Git = ReturnType<typeof createGit>;

function fromProcess(): Record<string, string> {
  const names = [...passedOn, ...proxies, ...proxies.map((name) => name.toUpperCase())];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
