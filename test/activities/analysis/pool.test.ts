import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { analysisThreads, createAnalysisPool } from '../../../activities/analysis/pool.ts';
import { encodeNetcdf } from '../../../shared/science/datasets/netcdf.ts';
import { analyse } from '../../../shared/tasks/analyses.ts';
import { measure } from '../../support/measured.ts';

const pool = createAnalysisPool();
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-test-'));
});
afterAll(async () => {
  await pool.destroy();
  await rm(directory, { recursive: true });
});

describe('the analysis pool', () => {
  test('gives in a thread what the analysis gives, its figures to be drawn later', async () => {
    const measured = await measure('CheckRabi', 'pool');
    const expected = analyse(measured);
    const found = await pool.analyse(measured);
    expect(found.outputs).toEqual(expected.outputs);
    expect(found.r2).toBe(expected.r2);
    expect(found.figures.map(({ json }) => JSON.parse(json))).toEqual(expected.figures);
    expect(found.figures).toHaveLength(2);
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

  test('describes the figures of a backend as given, and replaces anything that is not a figure with a placeholder', async () => {
    const { figures } = analyse(await measure('CheckT1', 'pool'));
    const [figure] = figures;
    if (!figure) expect.fail('it has no figure');
    const sizeless = { ...figure, layout: { ...figure.layout, width: Number.NaN } };
    const [first, second, third] = await pool.describeFigures([sizeless, figure, 'garbage']);
    expect(first?.json).toBe(JSON.stringify(sizeless));
    expect(second).toEqual({ json: JSON.stringify(figure) });
    expect(third).toMatchObject({
      json: expect.stringContaining('No figure'),
      note: expect.stringMatching(/placeholder/),
    });
    expect(await pool.describeFigures([])).toEqual([]);
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
