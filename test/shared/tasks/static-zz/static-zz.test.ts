import { expect, test } from 'vitest';
import type { TaskId } from '../../../../shared/kernel/ids.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { taskNamed } from '../../../support/ids.ts';
import { measurePair } from '../../../support/pairs.ts';
import { changed, failureOf, healthy, PAIR_SEED } from '../pair-failures.ts';

test('a control with a wrong stored frequency is refused', async () => {
  const weak = changed(healthy, 'control', 'qubit_frequency', (value) => value + 0.4);
  expect(await failureOf(weak, ['CheckStaticZZ'])).toMatch(/control: the prepared states do not differ/);
});

test('one outlier of a fringe is excluded from figure and fit, without another effect', async () => {
  const pair = { seed: PAIR_SEED, qid: '0-2' };
  const zzUnder = async (taskId: TaskId, phenomena: { phenomenon: 'wild_point'; size: number }[]) => {
    const faults = { rules: [], phenomena };
    const measured = await measurePair('CheckStaticZZ', pair, healthy, { taskId, faults });
    const analysis = analyse(measured);
    expect(gate(measured.task, analysis)).toBeNull();
    const shown = analysis.figures.flatMap(({ data }) =>
      data.filter(({ name }) => name === 'X' || name === 'Y'),
    );
    const points = shown.reduce((sum, { x }) => sum + (x?.length ?? 0), 0);
    return { points, ...(analysis.outputs.static_zz_interaction ?? expect.fail('no interaction')) };
  };
  for (const taskId of ['wild a', 'wild b', 'wild c']) {
    const clean = await zzUnder(taskNamed(taskId), []);
    const wild = await zzUnder(taskNamed(taskId), [{ phenomenon: 'wild_point', size: 1 }]);
    expect(wild.points).toBeLessThan(clean.points);
    expect(wild.points).toBeGreaterThanOrEqual(clean.points - 4);
    expect(Math.abs(wild.value - clean.value)).toBeLessThan(2 * clean.error);
    expect(wild.error).toBeLessThan(1.2 * clean.error);
  }
});
