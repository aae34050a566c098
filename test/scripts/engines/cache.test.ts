import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cachedDirectory } from '../../../scripts/engines/cache.ts';
import { withLock } from '../../../scripts/engines/locks.ts';
import { ownIdentity } from '../../../scripts/engines/pids.ts';
import { type Candidate, findEngine } from '../../../scripts/engines/sources.ts';

const NO_SUCH_PID = 2 ** 22 + 1;

let directory: string;
let entry: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-cache-'));
  entry = join(directory, 'engine-1');
});

afterEach(() => rm(directory, { recursive: true, force: true }));

test('concurrent searches with an empty cache build once and all get the result', async () => {
  let builds = 0;
  const build = async (into: string) => {
    builds += 1;
    await writeFile(join(into, 'half'), '');
    await sleep(300);
    await writeFile(join(into, 'program'), 'built');
  };
  const candidate: Candidate = {
    title: 'the build',
    find: async (report) => {
      const command = join(await cachedDirectory(entry, build, report), 'program');
      return { kind: 'program', command, args: [], flavour: 'temporal', origin: 'built' };
    },
  };
  const lines: string[] = [];
  const found = await Promise.all(
    Array.from({ length: 5 }, () => findEngine('temporal', (line) => lines.push(line), [candidate])),
  );
  expect(builds).toBe(1);
  for (const source of found) {
    expect(source.kind === 'program' && (await readFile(source.command, 'utf8'))).toBe('built');
  }
  expect(lines.filter((line) => line.includes('waiting for another process'))).toHaveLength(4);
  expect(await readdir(directory)).toEqual(['engine-1']);
});

test('several processes at once build once', async () => {
  const script = `
    const { cachedDirectory } = await import(${JSON.stringify(new URL('../../../scripts/engines/cache.ts', import.meta.url).href)});
    const { appendFileSync, writeFileSync } = await import('node:fs');
    await cachedDirectory(${JSON.stringify(entry)}, async (into) => {
      appendFileSync(${JSON.stringify(join(directory, 'builds'))}, 'x');
      await new Promise((resolve) => setTimeout(resolve, 300));
      writeFileSync(into + '/program', 'built');
    });`;
  const ends = await Promise.all(Array.from({ length: 3 }, () => runScript(script)));
  expect(ends).toEqual([0, 0, 0]);
  expect(await readFile(join(directory, 'builds'), 'utf8')).toBe('x');
  expect(await readFile(join(entry, 'program'), 'utf8')).toBe('built');
});

test('a build that fails leaves nothing, and the next one starts afresh', async () => {
  const failure = cachedDirectory(entry, async (into) => {
    await writeFile(join(into, 'half'), '');
    throw new Error('no compiler');
  });
  await expect(failure).rejects.toThrow('no compiler');
  expect(await readdir(directory)).toEqual([]);
  await cachedDirectory(entry, (into) => writeFile(join(into, 'program'), ''));
  expect(await readdir(entry)).toEqual(['program']);
});

test('what a killed build left is removed by the next one, and its lock is taken over', async () => {
  await mkdir(join(directory, 'engine-1.draft-dead'));
  await writeFile(`${entry}.lock`, JSON.stringify({ pid: NO_SUCH_PID, startTime: 'long ago' }));
  await cachedDirectory(entry, (into) => writeFile(join(into, 'program'), ''));
  expect(await readdir(directory)).toEqual(['engine-1']);
});

test('a lock whose pid now belongs to another process is taken over', async () => {
  const lock = join(directory, 'lock');
  await writeFile(lock, JSON.stringify({ pid: process.pid, startTime: 'an earlier boot' }));
  expect(await withLock(lock, async () => 'mine')).toBe('mine');
});

test('a garbled lock is taken over', async () => {
  const lock = join(directory, 'lock');
  await writeFile(lock, '{"pid":');
  expect(await withLock(lock, async () => 'mine')).toBe('mine');
});

test('a lock is held by one at a time and given back also when its holder fails', async () => {
  const lock = join(directory, 'lock');
  let inside = 0;
  const holders = Array.from({ length: 10 }, (_, i) =>
    withLock(lock, async () => {
      inside += 1;
      expect(inside).toBe(1);
      await sleep(5);
      inside -= 1;
      if (i % 2 === 1) {
        throw new Error('odd');
      }
    }).catch((error: Error) => error.message),
  );
  const ends = await Promise.all(holders);
  expect(ends.filter((end) => end === 'odd')).toHaveLength(5);
  expect(await readdir(directory)).toEqual([]);
});

test('whoever waits for a lock is told once who holds it', async () => {
  const lock = join(directory, 'lock');
  const waits: unknown[] = [];
  await Promise.all([
    withLock(lock, () => sleep(350)),
    sleep(20).then(() =>
      withLock(
        lock,
        async () => {},
        (holder) => waits.push(holder),
      ),
    ),
  ]);
  expect(waits).toEqual([ownIdentity()]);
});

function runScript(script: string): Promise<number | null> {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
    stdio: 'inherit',
  });
  return new Promise((resolve) => child.once('exit', resolve));
}

test('a cache that cannot be written to says which setting names another one', async () => {
  const sealed = join(directory, 'sealed');
  await mkdir(sealed);
  await chmod(sealed, 0o500);
  const refused = cachedDirectory(join(sealed, 'engine-1'), async () => {});
  if (process.getuid?.() === 0) await expect(refused).resolves.toBeTruthy();
  else await expect(refused).rejects.toThrow(/cannot be written to. Set CALIBRON_CACHE/);
  await chmod(sealed, 0o700);
});
