import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { isAlive } from '../../scripts/engines/pids.ts';
import { type RememberedProcess, readState } from '../../scripts/engines/state.ts';
import { serviceNames } from '../../scripts/start/data-directory.ts';
import { settingsSchema } from '../../shared/domain/settings.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const PATIENCE_MS = 180_000;
const POLL_MS = 50;

export interface Launched {
  pid: number;
  output(): string;
  /** Waits for the text in its output for at most `patience` ms, and returns the whole output. */
  until(text: string, patience?: number): Promise<string>;
  /** Its exit code, once it has ended. */
  ended: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
}

/** This process's environment without settings, and without what npm and vitest added. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const settings = new Set(Object.keys(settingsSchema.shape));
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !settings.has(name) && !/^(npm_|VITEST|CALIBRON_TEST_|NODE_ENV|NODE_OPTIONS)/.test(name),
    ),
  );
}

/** Starts `npm start` without npm; with npm when asked. */
export function launch(
  arguments_: readonly string[],
  settings: Record<string, string> = {},
  options: { npm?: boolean } = {},
): Launched {
  const [command, args] = options.npm
    ? ['npm', ['start', '--', ...arguments_]]
    : [process.execPath, [join(root, 'scripts/start.mjs'), ...arguments_]];
  const child: ChildProcess = spawn(command, args, {
    cwd: root,
    env: { ...plainEnvironment(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  }
  const ended = once(child, 'exit').then(([code]) => z.number().nullable().parse(code));
  return {
    pid: child.pid ?? 0,
    output: () => text,
    async until(wanted, patience) {
      const said = () => text.includes(wanted) || child.exitCode !== null;
      await eventually(said, `"${wanted}" in:\n${text}`, patience);
      if (!text.includes(wanted)) throw new Error(`it ended without "${wanted}":\n${text}`);
      return text;
    },
    ended,
    signal: (name) => {
      child.kill(name);
    },
  };
}

/** The entries of the four processes in the data directory's file. */
export async function remembered(directory: string): Promise<Record<string, RememberedProcess>> {
  const recorded = await readState(join(directory, 'engines.json'));
  return Object.fromEntries(recorded.map((each) => [each.name, each]));
}

/** Pids of the four processes that live. */
export async function livingPids(directory: string): Promise<Record<string, number>> {
  const recorded = await remembered(directory);
  return Object.fromEntries(
    serviceNames.flatMap((name) => {
      const pid = recorded[name]?.pid;
      return pid && isAlive(pid) ? [[name, pid]] : [];
    }),
  );
}

/** Every process of this machine that names the directory; the test's own is none. Linux only. */
export function processesNaming(directory: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && isAlive(pid) && commandLine(pid).includes(directory));
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

export function kill(pid: number | undefined | null): void {
  if (pid) process.kill(pid, 'SIGKILL');
}

/** Waits until `look` is true. */
export async function eventually(
  look: () => boolean | Promise<boolean>,
  what: string,
  patience = PATIENCE_MS,
): Promise<void> {
  for (const limit = Date.now() + patience; ; ) {
    if (await look().valueOf()) return;
    if (Date.now() > limit) throw new Error(`not in ${patience} ms: ${what}`);
    await wait(POLL_MS);
  }
}

/** Whether the API answers that it is ready. */
export async function isReady(address: string): Promise<boolean> {
  return fetch(`${address}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  );
}

/** Logs in; the names of the projects that the user can enter. */
export async function projectNames(address: string, username: string, password: string): Promise<string[]> {
  const login = await fetch(`${address}/auth/login`, {
    method: 'POST',
    body: new URLSearchParams({ username, password }),
  });
  const { access_token } = z.object({ access_token: z.string() }).parse(await login.json());
  const answer = await fetch(`${address}/projects`, { headers: { authorization: `Bearer ${access_token}` } });
  const { projects } = z
    .object({ projects: z.array(z.object({ name: z.string() })) })
    .parse(await answer.json());
  return projects.map(({ name }) => name);
}
