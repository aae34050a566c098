import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { z } from 'zod';
import { plainEnvironment } from '../../support/launching.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export interface Command {
  child: ChildProcess;
  /** Exit code and all that it has said. */
  ended: Promise<{ code: number | null; output: string }>;
}

/** Runs `npm run backup` or `npm run restore` for a data directory, or with settings. */
export function command(
  name: 'main' | 'restore-main',
  settings: string | Record<string, string>,
  ...words: string[]
): Command {
  const program = join(ROOT, 'scripts', 'backup', `${name}.ts`);
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...words], {
    cwd: ROOT,
    env: { ...plainEnvironment(), ...(typeof settings === 'string' ? { DATA_DIR: settings } : settings) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      output += part;
    });
  }
  const ended = once(child, 'exit').then(([code]) => ({
    code: z.number().nullable().parse(code),
    output,
  }));
  return { child, ended };
}

export async function succeeds(given: Command): Promise<string> {
  const { code, output } = await given.ended;
  expect(code, output).toBe(0);
  return output;
}

/** Kills it after a random part of the time that it takes, with what it has started. */
export async function killSometime(
  { child, ended }: Command,
  takes: number,
): Promise<Awaited<Command['ended']>> {
  await Promise.race([ended, wait(Math.random() * takes)]);
  child.kill('SIGKILL');
  return ended;
}
