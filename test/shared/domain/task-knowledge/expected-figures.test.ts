import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createExpectedFigures } from '../../../../shared/domain/task-knowledge/expected-figures.ts';
import { createLog } from '../../../../shared/kernel/log.ts';

/** Pictures of a folder of their own, drawn by a program that does as told. */
async function openFigures(told?: 'fail' | 'hang') {
  const folder = await mkdtemp(join(tmpdir(), 'calibron-figures-'));
  const program = join(folder, 'draw.mts');
  await copyFile(fileURLToPath(new URL('fixtures/draw.ts', import.meta.url)), program);
  if (told) await writeFile(join(folder, told), '');
  const open = (longestWait?: number) =>
    createExpectedFigures({
      folder,
      program: pathToFileURL(program),
      log: createLog('test', 'SILENT'),
      ...(longestWait !== undefined && { longestWait }),
    });
  onTestFinished(() => rm(folder, { recursive: true }));
  const starts = async () =>
    (await readFile(join(folder, 'starts'), 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number);
  return { folder, open, starts, picture: () => readFile(join(folder, 'expected.png'), 'utf8') };
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('requests at the same moment share one drawing and find the pictures', async () => {
  const { open, starts, picture } = await openFigures();
  const figures = open();
  await Promise.all([figures.drawn(), figures.drawn(), figures.drawn()]);
  expect(await picture()).toBe('picture');
  await figures.drawn();
  expect(await starts()).toHaveLength(1);
  await open().drawn();
  expect(await starts()).toHaveLength(1);
});

test('pages are shown without pictures where they cannot be drawn, and it is tried once', async () => {
  const { open, starts, picture } = await openFigures('fail');
  const figures = open();
  await figures.drawn();
  await figures.drawn();
  await expect(picture()).rejects.toThrow();
  expect(await starts()).toHaveLength(1);
});

test('a drawing that takes too long delays no request, and ends with the process that requested it', async () => {
  const { open, starts } = await openFigures('hang');
  const figures = open(1);
  await figures.drawn();
  await expect.poll(starts, { timeout: 60_000 }).toHaveLength(1);
  const [pid = 0] = await starts();
  expect(isAlive(pid)).toBe(true);
  await figures.close();
  expect(isAlive(pid)).toBe(false);
});

test('nothing is drawn once the service is being stopped', async () => {
  const { open, starts } = await openFigures();
  const figures = open();
  await figures.close();
  await figures.drawn();
  expect(await starts()).toEqual([]);
});
