import { existsSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  analysisThreads,
  createAnalysisPool,
  type FigureFiles,
  type StoredFigure,
} from '../../../activities/analysis/pool.ts';
import { replaceFile } from '../../../shared/kernel/files/atomic-write.ts';
import { encodeNetcdf } from '../../../shared/science/datasets/netcdf.ts';
import { analyse } from '../../../shared/tasks/analyses.ts';
import { measure } from '../../support/measured.ts';
import { decodePng } from '../../support/png.ts';

const pool = createAnalysisPool();
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-test-'));
});
afterAll(async () => {
  await pool.destroy();
  await rm(directory, { recursive: true });
});

/** Descriptions of figures in files of their own. */
function stored(figures: readonly StoredFigure[]): Promise<FigureFiles[]> {
  return Promise.all(
    figures.map(async ({ json }, index) => {
      const files = { json: join(directory, `${index}.json`), png: join(directory, `${index}.png`) };
      await writeFile(files.json, json);
      return files;
    }),
  );
}

describe('the analysis pool', () => {
  test('gives in a thread what the analysis gives, its figures to be drawn later', async () => {
    const measured = await measure('CheckRabi', 'pool');
    const expected = analyse(measured);
    const found = await pool.analyse(measured);
    expect(found.outputs).toEqual(expected.outputs);
    expect(found.r2).toBe(expected.r2);
    expect(found.figures.map(({ json }) => JSON.parse(json))).toEqual(expected.figures);
    expect(found.figures.map(({ png }) => png)).toEqual([null, null]);
  });

  test('reads data from their file, or says why it cannot', async () => {
    const { dataset, ...asked } = await measure('CheckRabi', 'pool');
    const file = join(await realpath(directory), 'data.nc');
    await writeFile(file, encodeNetcdf(dataset));
    const expected = analyse({ ...asked, dataset });
    expect((await pool.analyseFile(file, asked)).outputs).toEqual(expected.outputs);
    await writeFile(file, 'CDF');
    expect(await pool.analyseFile(file, asked)).toMatchObject({
      unreadable: expect.stringMatching(/^The backend's data file cannot be read: /),
      outputs: {},
      figures: [],
    });
    expect(await pool.analyseFile(join(file, '..'), asked)).toMatchObject({
      unreadable: "The backend's data file cannot be read: it is not a plain file.",
    });
  });

  test('keeps the figure of a failed fit, beside the reason', async () => {
    const faults = { rules: [{ match: {}, behaviour: 'noise' as const }] };
    const found = await pool.analyse(await measure('CheckRabi', 'pool', { faults }));
    expect(found.refused).toMatch(/oscillation/);
    expect(found.figures).toHaveLength(2);
  });

  test('draws the figures of a backend', async () => {
    const { figures } = analyse(await measure('CheckT1', 'pool'));
    const [drawn] = await pool.drawFigures(figures);
    expect(decodePng(drawn?.png ?? new Uint8Array()).height).toBe(750);
  });

  test('draws a figure without a size as it draws others, and gives a placeholder for what cannot be drawn', async () => {
    const { figures } = analyse(await measure('CheckT1', 'pool'));
    const [figure] = figures;
    if (!figure) expect.fail('it has no figure');
    const sizeless = { ...figure, layout: { ...figure.layout, width: Number.NaN } };
    const [first, second, third] = await pool.drawFigures([sizeless, figure, 'garbage']);
    expect(first).toMatchObject({ json: JSON.stringify(sizeless), png: expect.any(Uint8Array) });
    expect(second?.png).toBeInstanceOf(Uint8Array);
    expect(third).toMatchObject({ png: expect.any(Uint8Array), note: expect.stringMatching(/placeholder/) });
  });

  test('draws a stored description into its file', async () => {
    const { figures } = await pool.analyse(await measure('CheckT1', 'pool'));
    const [files] = await stored(figures);
    if (!files) expect.fail('it has no figure');
    await pool.drawFile(files);
    expect(decodePng(await readFile(files.png)).width).toBe(900);
    await writeFile(files.json, '{"data":"none"}');
    await expect(pool.drawFile(files)).rejects.toThrow(/describes no figure/);
  });

  test('leaves the picture alone when the figure is described anew while it is drawn', async () => {
    const measured = await measure('CheckT1', 'pool');
    const { figures } = await pool.analyse(measured);
    const [files] = await stored(figures);
    if (!files) expect.fail('it has no figure');
    await rm(files.png, { force: true });
    const one = createAnalysisPool({ threads: 1, givesWayMs: 60_000 });
    const first = one.analyse(measured);
    const drawing = one.drawFile(files);
    await replaceFile(files.json, figures[0]?.json ?? '');
    await Promise.all([first, drawing]);
    expect(existsSync(files.png)).toBe(false);
    await one.drawFile(files);
    expect(existsSync(files.png)).toBe(true);
    await one.destroy();
  });

  test('draws files when nothing else is to be done', async () => {
    const measured = await measure('CheckT1', 'pool');
    const [files] = await stored((await pool.analyse(measured)).figures);
    if (!files) expect.fail('it has no figure');
    const one = createAnalysisPool({ threads: 1, givesWayMs: Number.POSITIVE_INFINITY });
    const done: string[] = [];
    const note = (what: string) => () => void done.push(what);
    const first = one.analyse(measured).then(note('analysis'));
    const drawing = one.drawFile(files).then(note('drawing'));
    const others = [1, 2, 3].map(() => one.analyse(measured).then(note('analysis')));
    await Promise.all([first, drawing, ...others]);
    await one.destroy();
    expect(done).toEqual(['analysis', 'analysis', 'analysis', 'analysis', 'drawing']);
  });

  test('draws a file that gave way for long enough, though there is other work all the time', async ({
    signal,
  }) => {
    const measured = await measure('CheckT1', 'pool');
    const [files] = await stored((await pool.analyse(measured)).figures);
    if (!files) expect.fail('it has no figure');
    await rm(files.png, { force: true });
    const one = createAnalysisPool({ threads: 1, givesWayMs: 0 });
    let isDrawn = false;
    /** Of several that ask again and again, some always wait for the thread. */
    const askOn = async () => {
      while (!isDrawn && !signal.aborted) await one.analyse(measured);
    };
    const asking = Array.from({ length: 6 }, askOn);
    await one.drawFile(files);
    isDrawn = true;
    await Promise.all(asking);
    await one.destroy();
    expect(existsSync(files.png)).toBe(true);
  });

  test('an analysis waits for one drawing, however many wait to be drawn', async () => {
    const measured = await measure('CheckT1', 'pool');
    const [files] = await stored((await pool.analyse(measured)).figures);
    if (!files) expect.fail('it has no figure');
    for (const givesWayMs of [60_000, 0]) {
      const one = createAnalysisPool({ threads: 1, givesWayMs });
      const done: string[] = [];
      const note = (what: string) => () => void done.push(what);
      const first = one.analyse(measured).then(note('analysis'));
      const drawings = [1, 2, 3].map(() => one.drawFile(files).then(note('drawing')));
      const next = first.then(() => one.analyse(measured).then(note('next')));
      await Promise.all([first, next, ...drawings]);
      await one.destroy();
      // A drawing is done once its file is written, which the next analysis may outrun.
      expect(done[0]).toBe('analysis');
      expect(done.indexOf('next')).toBeLessThanOrEqual(2);
    }
  });

  test('a fit of one user waits for one of another at most, however many of those wait', async () => {
    const measured = await measure('CheckT1', 'pool');
    const one = createAnalysisPool({ threads: 1 });
    const done: string[] = [];
    const analyse = (user: string, project: string) =>
      one.analyse(measured, { user, project }).then(() => void done.push(user));
    // Forty projects of a user are one share.
    const busy = Array.from({ length: 10 }, (_, project) => analyse('busy', `busy ${project}`));
    await Promise.all([...busy, analyse('small', 'small')]);
    await one.destroy();
    expect(done.indexOf('small')).toBeLessThanOrEqual(1);
  });

  test('has a thread for each core, and takes no more than four unasked', () => {
    expect([1, 2, 3, 5, 64].map(analysisThreads)).toEqual([1, 2, 3, 4, 4]);
  });

  test('leaves the event loop free while it works', async () => {
    const measured = await measure('CheckRabi', 'pool');
    const before = performance.eventLoopUtilization();
    await Promise.all(Array.from({ length: 20 }, () => pool.analyse(measured)));
    // One that analysed itself would be busy all the time, and heartbeats are due meanwhile.
    const { utilization } = performance.eventLoopUtilization(before);
    expect(utilization).toBeLessThan(0.5);
  });
});
