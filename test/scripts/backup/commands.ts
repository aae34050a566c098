import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { z } from 'zod';
import { contents, fileEntry, listBackups } from '../../../scripts/backup/contents.ts';
import { readText, verifyPiece } from '../../../scripts/backup/pieces.ts';
import { isAlive } from '../../../scripts/engines/pids.ts';
import { kill, plainEnvironment, processesNaming } from '../../support/launching.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export interface Command {
  child: ChildProcess;
  /** Waits until its output matches. */
  until(pattern: RegExp): Promise<void>;
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
  async function until(pattern: RegExp): Promise<void> {
    while (!pattern.test(output)) {
      if (child.exitCode !== null) throw new Error(`it ended without ${pattern}:\n${output}`);
      await wait(10);
    }
  }
  return { child, until, ended };
}

export async function succeeds(given: Command): Promise<string> {
  const { code, output } = await given.ended;
  expect(code, output).toBe(0);
  return output;
}

/**
 * Kills it at a random moment of the time that it takes.
 * @param leftIn a directory: half of the time, processes that the command has started on it are killed as well
 */
export async function killSometime(
  { child, ended }: Command,
  takes: number,
  leftIn: string,
): Promise<Awaited<Command['ended']>> {
  await Promise.race([ended, wait(Math.random() * takes)]);
  child.kill('SIGKILL');
  const end = await ended;
  if (Math.random() < 0.5) for (const pid of processesNaming(leftIn)) if (isAlive(pid)) kill(pid);
  return end;
}

/** Reads every file of every finished backup of a directory, none of which is encrypted. @returns their names */
export async function wholeBackups(backups: string): Promise<string[]> {
  const found = await listBackups(backups);
  for (const { name, manifest } of found) {
    const directory = join(backups, name);
    const inside = contents.parse(JSON.parse(await readText(directory, manifest.contents, null)));
    const lines = (await readText(directory, inside.files, null)).split('\n').filter((line) => line !== '');
    const pieces = [
      ...inside.collections.map(({ piece }) => piece),
      ...(inside.engine?.pieces ?? []),
      ...lines.map((line) => fileEntry.parse(JSON.parse(line)).piece),
    ];
    expect(pieces.length).toBeGreaterThan(0);
    for (const piece of pieces) if (piece) await verifyPiece(directory, piece);
  }
  return found.map(({ name }) => name);
}
