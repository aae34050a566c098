import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FigureFiles } from '../../../activities/analysis/pool.ts';
import { createArtifactFiles } from '../../../activities/record/artifacts.ts';
import { createFollowingFigures } from '../../../activities/record/following-figures.ts';
import type { HeldRun } from '../../../shared/domain/runs/run-model.ts';
import { newId } from '../../../shared/kernel/ids.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'calibron-test-'));
});
afterAll(() => rm(root, { recursive: true }));

const task = { name: 'CheckT1', qid: '0', id: 'abcdefghij' };

function runOf(execution_id: string): HeldRun {
  return {
    execution_id,
    project_id: 'project',
    chip_id: 'CHIP',
    user_id: 'user',
    username: 'user',
    name: 'flow',
    backend: 'simulator',
    trigger: 'api',
    tags: [],
    epoch: 1,
    flow_run_id: newId(),
  };
}

/** A worker whose drawings begin when they are let, and copy the description. */
function workerThat(draws: (files: FigureFiles) => Promise<void>, endingWaitMs?: number) {
  const files = createArtifactFiles(root);
  const said: string[] = [];
  const figures = createFollowingFigures({
    analysis: { drawFile: draws },
    files,
    log: { warn: (...words: unknown[]) => void said.push(String(words.at(-1))) },
    ...(endingWaitMs !== undefined && { endingWaitMs }),
  });
  return { files, figures, said };
}

const copy = async ({ json, png }: FigureFiles) => writeFile(png, await readFile(json));

/** Names of the pictures in the directory of a run's figures. */
const pictures = async (files: FigureFiles) =>
  (await readdir(join(files.json, '..'))).filter((name) => name.endsWith('.png'));

test('a run ends with the figures that a worker described and did not come to draw', async () => {
  const run = runOf('20260102-000');
  const dead = workerThat(() => new Promise(() => {}));
  const described = await dead.files.writeFigure(run, task, 0, { json: 'first', png: null });
  dead.figures.follow(run, described);
  const drawn = await dead.files.writeFigure(run, task, 1, {
    json: 'second',
    png: Buffer.from('by the backend'),
  });
  const next = workerThat(copy);
  await next.figures.complete(run);
  expect(await readFile(described.png, 'utf8')).toBe('first');
  expect(await readFile(drawn.png, 'utf8')).toBe('by the backend');
});

test('a run ends when its own figures are drawn, whatever other runs still draw', async () => {
  const [run, other] = [runOf('20260102-001'), runOf('20260102-002')];
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const { files, figures } = workerThat(async (figure) => {
    if (figure.json.includes('/002/')) return new Promise(() => {});
    await held;
    await copy(figure);
  });
  for (const each of [run, other]) {
    figures.follow(each, await files.writeFigure(each, task, 0, { json: 'figure', png: null }));
  }
  const ended = figures.complete(run);
  goOn();
  await ended;
  const [left] = await files.undrawnFigures(other);
  expect(await files.undrawnFigures(run)).toEqual([]);
  expect(left?.json).toMatch(/\/002\/fig\/CheckT1_0_abcdefgh_0\.json$/);
});

test('a task that is recorded again has the figure of its last description only', async () => {
  const run = runOf('20260102-003');
  const waiting: (() => void)[] = [];
  const { files, figures } = workerThat(async (figure) => {
    const description = await readFile(figure.json);
    await new Promise<void>((resolve) => waiting.push(resolve));
    await writeFile(figure.png, description);
  });
  const described = await files.writeFigure(run, task, 0, { json: 'first', png: null });
  figures.follow(run, described);
  await expect.poll(() => waiting.length).toBe(1);
  await files.writeFigure(run, task, 0, { json: 'second', png: null });
  figures.follow(run, described);
  waiting[0]?.();
  await expect.poll(() => waiting.length).toBe(2);
  waiting[1]?.();
  await figures.complete(run);
  expect(await readFile(described.png, 'utf8')).toBe('second');
  await files.writeFigure(run, task, 0, { json: 'third', png: null });
  expect(await pictures(described)).toEqual([]);
});

test('a figure that cannot be drawn is said and holds up no run', async () => {
  const run = runOf('20260102-004');
  const { files, figures, said } = workerThat(async () => {
    throw new Error('no room on the disk');
  });
  figures.follow(run, await files.writeFigure(run, task, 0, { json: 'figure', png: null }));
  await figures.complete(run);
  expect(said).toContain('a figure is not drawn');
  await figures.complete(runOf('20260102-005'));
});

test('a run ends without the figures whose drawing does not end', async () => {
  const run = runOf('20260102-006');
  const { files, figures, said } = workerThat(() => new Promise(() => {}), 0);
  figures.follow(run, await files.writeFigure(run, task, 0, { json: 'figure', png: null }));
  await figures.complete(run);
  expect(said).toEqual(['the run ends before its figures are drawn']);
});
