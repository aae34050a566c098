import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A program and its arguments; no shell reads them. */
export type Command = readonly string[];

/**
 * Runs a command in a process group of its own, and ends the group when standard input closes: so a command lives no
 * longer than the updater, even if that is killed. As text, since an update changes the files of this program.
 */
const GUARD = `
const { spawn } = require('node:child_process');
const [program, ...args] = process.argv.slice(1);
const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
const end = () => { try { process.kill(-child.pid, 'SIGKILL'); } catch {} };
process.stdin.on('end', end).on('error', end).resume();
child.on('error', (error) => { console.error(error.message); process.exit(127); });
child.on('exit', (code) => process.exit(code === null ? 1 : code));
`;

/** Milliseconds for the last lines to arrive after the end; a service that was started may keep the pipe open. */
const LAST_LINES = 200;

/**
 * Runs a command to its end.
 * @param options.limit milliseconds after which it is ended with all that it started
 * @param options.signal ends it too
 * @returns how it ended; null when it succeeded
 */
export async function runCommand(
  command: Command,
  options: {
    directory: string;
    environment: Readonly<Record<string, string>>;
    limit: number;
    signal: AbortSignal;
    line(text: string): void;
  },
): Promise<string | null> {
  const { directory, environment, limit, signal, line } = options;
  const guard = spawn(process.execPath, ['-e', GUARD, '--', ...command], {
    cwd: directory,
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const { stdin, stdout, stderr } = guard;
  // It may have ended already.
  stdin.on('error', () => undefined);
  const readers = [stdout, stderr].map((stream) => createInterface({ input: stream }).on('line', line));
  let late = false;
  const end = () => void stdin.end();
  const timer = setTimeout(() => {
    late = true;
    end();
  }, limit);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      guard.once('error', reject);
      guard.once('exit', resolve);
    });
    await Promise.race([
      Promise.all(readers.map((reader) => new Promise((resolve) => reader.once('close', resolve)))),
      new Promise((resolve) => setTimeout(resolve, LAST_LINES)),
    ]);
    if (late) return `was not done after ${Math.round(limit / 1000)} s`;
    return code === 0 ? null : `ended with code ${code ?? 'of a signal'}`;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    for (const reader of readers) reader.close();
    stdout.destroy();
    stderr.destroy();
  }
}
