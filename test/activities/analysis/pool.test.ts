import { afterAll, describe, expect, test } from 'vitest';
import { analysisThreads, createAnalysisPool } from '../../../activities/analysis/pool.ts';
import { analyse } from '../../../shared/tasks/analyses.ts';
import { measure } from '../../support/measured.ts';
import { decodePng } from '../../support/png.ts';

const pool = createAnalysisPool();
afterAll(() => pool.destroy());

describe('the analysis pool', () => {
  test('gives in a thread what the analysis gives, with its figures drawn', async () => {
    const measured = await measure('CheckRabi', 'pool');
    const expected = analyse(measured);
    const found = await pool.analyseAndDraw(measured);
    expect(found.outputs).toEqual(expected.outputs);
    expect(found.r2).toBe(expected.r2);
    expect(found.figures.map(({ json }) => JSON.parse(json))).toEqual(expected.figures);
    for (const { png } of found.figures) expect(decodePng(png).width).toBe(900);
  });

  test('keeps the figure of a failed fit, beside the reason', async () => {
    const faults = { rules: [{ match: {}, behaviour: 'noise' as const }] };
    const found = await pool.analyseAndDraw(await measure('CheckRabi', 'pool', { faults }));
    expect(found.refused).toMatch(/oscillation/);
    expect(found.figures).toHaveLength(2);
  });

  test('draws the figures of a backend', async () => {
    const { figures } = analyse(await measure('CheckT1', 'pool'));
    const [drawn] = await pool.drawFigures(figures);
    expect(decodePng(drawn?.png ?? new Uint8Array()).height).toBe(750);
  });

  test('leaves a core to the event loop, and takes no more than four threads unasked', () => {
    expect([1, 2, 3, 5, 64].map(analysisThreads)).toEqual([1, 1, 2, 4, 4]);
  });

  test('leaves the event loop free while it works', async () => {
    const measured = await measure('CheckRabi', 'pool');
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 5);
    await Promise.all(Array.from({ length: 20 }, () => pool.analyseAndDraw(measured)));
    clearInterval(timer);
    // All of it together takes seconds, and a heartbeat is due every three.
    expect(longest).toBeLessThan(1000);
  });
});
