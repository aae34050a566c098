import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A program and its arguments. They are not interpreted by a shell. */
export type Command = readonly string[];

/**
 * Runs a command in its own process group, and ends the group when standard input closes, so that a command never outlives
 * the updater, even if the updater is killed. The program is a string, because an update changes the files of the updater.
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

/** Milliseconds to wait for the last lines after the end, because a started service may keep the pipe open. */
const LAST_LINES = 200;

/**
 * Runs a command to its end.
 * @param options.limit milliseconds after which the command and all its child processes are killed
 * @param options.signal also ends the command
 * @returns how it failed; null if it succeeded
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
  // The process may already have ended.
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
