import { spawn } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

const LINES_IN_ERROR = 8;

/**
 * For every program that we start: Java reads and writes names of files in the encoding of the locale. Without a locale, or with one that is not installed, it
 * cannot open a path with a letter beyond ASCII. This locale is part of the C library.
 */
export const UTF8_PATHS = { LC_ALL: 'C.UTF-8' } as const;

/**
 * Go's settings for Temporal's garbage collector. Go collects whenever the heap has doubled. Temporal's heap is small and it
 * allocates much, so that it collects less often here, until it uses this much memory: `npm run bench -- engine` takes about a
 * tenth less of Temporal's processor time. Settings in the environment take precedence.
 */
const TEMPORAL_MEMORY = { GOGC: '400', GOMEMLIMIT: '1GiB' } as const;

/**
 * The environment of an engine. Temporal needs the name and the home directory of its user, and takes them from here if the user
 * has no entry in passwd, as in a container with a numeric user.
 */
export function engineEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { USER, HOME } = environment;
  return {
    ...TEMPORAL_MEMORY,
    ...environment,
    USER: USER || 'calibron',
    HOME: HOME || tmpdir(),
    ...UTF8_PATHS,
  };
}

export interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  timeoutMs?: number;
  /** Called with each line of output, standard error included. */
  onLine?: (line: string) => void;
}

/** Runs a program and returns its output. It is killed if our process ends. An error contains the last lines of output. */
export async function run(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: options.timeoutMs,
    killSignal: 'SIGKILL',
  });
  const stopWithUs = () => child.kill();
  process.once('exit', stopWithUs);
  child.once('close', () => process.off('exit', stopWithUs));
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      options.onLine?.(line);
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) {
        resolve(lines.join('\n'));
        return;
      }
      const end = code === null ? `was ended by ${signal}` : `ended with code ${code}`;
      reject(new Error([`${command} ${end}`, ...lines.slice(-LINES_IN_ERROR)].join('\n  ')));
    });
  });
}

/** The full path of a program on PATH, or null. */
export async function onPath(program: string): Promise<string | null> {
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(directory, program);
    if (directory !== '' && (await isProgram(path))) {
      return path;
    }
  }
  return null;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
