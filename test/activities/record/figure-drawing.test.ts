import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createArtifactFiles } from '../../../activities/record/artifacts.ts';
import { createFigureDrawing } from '../../../activities/record/figure-drawing.ts';
import type { HeldRun } from '../../../shared/domain/runs/run-model.ts';
import type { ExecutionId } from '../../../shared/kernel/ids.ts';
import { newId } from '../../../shared/kernel/new-ids.ts';
import { executionNamed, projectNamed, taskNamed, userNamed } from '../../support/ids.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'calibron-test-'));
});
afterAll(() => rm(root, { recursive: true }));

const task = { name: 'CheckT1', qid: '0', id: taskNamed('abcdefghij') };

function runOf(execution_id: ExecutionId): HeldRun {
  return {
    execution_id,
    project_id: projectNamed('project'),
    chip_id: 'CHIP',
    user_id: userNamed('user'),
    username: 'user',
    name: 'flow',
    backend: 'simulator',
    trigger: 'api',
    tags: [],
    epoch: 1,
    flow_run_id: newId(),
  };
}

/** Moments that come when a test lets them. */
function moments() {
  const waiting: (() => void)[] = [];
  return {
    wait: () => new Promise<void>((resolve) => waiting.push(resolve)),
    waiting: () => waiting.length,
    letOne: () => waiting.shift()?.(),
  };
}

/** A worker that is always idle and draws at once, but for what is given. */
function workerThat(given: Partial<Parameters<typeof createFigureDrawing>[0]> = {}) {
  const drawn: string[] = [];
  const warnings: string[] = [];
  const files = createArtifactFiles(root);
  const figures = createFigureDrawing({
    mode: 'idle',
    draw: async (picture) => void drawn.push(picture),
    untilIdle: async () => {},
    files,
    log: { warn: (...words: unknown[]) => void warnings.push(String(words.at(-1))) },
    ...given,
  });
  return { files, figures, drawn, warnings };
}

test('an idle worker draws the newest figure first and the oldest last', async () => {
  const idle = moments();
  const { figures, drawn } = workerThat({ untilIdle: idle.wait });
  for (const picture of ['oldest', 'older', 'newer']) figures.add(picture);
  idle.letOne();
  await expect.poll(() => drawn).toEqual(['newer']);
  figures.add('newest');
  for (let left = 3; left > 0; left--) {
    await expect.poll(idle.waiting).toBe(1);
    idle.letOne();
  }
  await expect.poll(() => drawn).toEqual(['newer', 'newest', 'older', 'oldest']);
});

test('a worker that has work draws nothing, and stops without having drawn', async () => {
  const untilIdle = (signal: AbortSignal) =>
    new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const { figures, drawn, warnings } = workerThat({ untilIdle });
  figures.add('picture');
  await figures.end();
  expect({ drawn, warnings }).toEqual({ drawn: [], warnings: [] });
});

test('a worker that stops ends the drawing at hand and begins no other', async () => {
  const drawing = moments();
  const { figures } = workerThat({ mode: 'immediate', draw: drawing.wait });
  for (const picture of ['first', 'second', 'third']) figures.add(picture);
  await expect.poll(drawing.waiting).toBe(2);
  let hasEnded = false;
  const ended = figures.end().then(() => {
    hasEnded = true;
  });
  drawing.letOne();
  await new Promise(setImmediate);
  expect(hasEnded).toBe(false);
  drawing.letOne();
  await ended;
  expect(drawing.waiting()).toBe(0);
});

test('a worker that draws immediately waits for no idle moment, and begins with the oldest', async () => {
  const untilIdle = () => Promise.reject(new Error('it is not to be asked'));
  const { figures, drawn } = workerThat({ mode: 'immediate', untilIdle });
  const pictures = ['first', 'second', 'third', 'fourth'];
  for (const picture of pictures) figures.add(picture);
  await expect.poll(() => drawn).toEqual(pictures);
});

test('a figure that cannot be drawn is logged, and the next one is drawn', async () => {
  const drawn: string[] = [];
  const draw = async (picture: string) => {
    if (picture === 'broken') throw new Error('no room on the disk');
    drawn.push(picture);
  };
  const { figures, warnings } = workerThat({ draw });
  figures.add('good');
  figures.add('broken');
  await expect.poll(() => drawn).toEqual(['good']);
  expect(warnings).toEqual(['a figure is not drawn']);
});

test('a run that ends has the figures drawn that a dead worker left, where figures are drawn immediately', async () => {
  const run = runOf(executionNamed('20260102-000'));
  const files = createArtifactFiles(root);
  const left = await files.writeFigure(run, task, 0, { json: 'first' });
  const drawnBefore = await files.writeFigure(run, task, 1, { json: 'second' });
  await writeFile(drawnBefore.png, 'picture');
  const immediate = workerThat({ mode: 'immediate' });
  immediate.figures.endRun(run);
  await expect.poll(() => immediate.drawn).toEqual([left.png]);
  const idle = workerThat();
  idle.figures.endRun(run);
  await idle.figures.end();
  expect(idle.drawn).toEqual([]);
});

test('a task that is recorded again has no picture of its earlier description', async () => {
  const run = runOf(executionNamed('20260102-001'));
  const { files } = workerThat();
  const described = await files.writeFigure(run, task, 0, { json: 'first' });
  await writeFile(described.png, 'picture of the first');
  expect(await files.writeFigure(run, task, 0, { json: 'second' })).toEqual(described);
  expect(await readFile(described.json, 'utf8')).toBe('second');
  expect(await readdir(dirname(described.png))).toEqual([basename(described.json)]);
});
