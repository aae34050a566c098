import { writeFileSync } from 'node:fs';
import { it } from 'vitest';
import { analyse } from '../../shared/analysis/analyse.ts';
import { drawPng } from '../../shared/figures/draw.ts';
import { perfectInputs } from './drag-inputs.ts';
import { measure } from './measured.ts';
const tasks = (process.env.HC_TASKS ?? '').split(',');
it.each(tasks)('%s', async (name) => {
  for (const qid of ['0', '1', '5']) {
    const measured = await measure(name, 'look', { qid, inputs: { ...perfectInputs('look', qid), ...JSON.parse(process.env.HC_IN ?? '{}') }, faults: process.env.HC_NOISE ? { rules: [{ match: {}, behaviour: 'noise' }] } : undefined });
    const t0 = performance.now();
    const a = analyse(measured);
    const t1 = performance.now();
    console.log(name, qid, a.outputs, a.r2, a.refused, `${(t1 - t0).toFixed(1)} ms`, JSON.stringify(measured.dataset).length);
    for (const [i, f] of a.figures.entries()) {
      const t2 = performance.now();
      writeFileSync(`/tmp/hc/fig/${name}_${qid}_${i}.png`, drawPng(f));
      console.log('figure ms', (performance.now() - t2).toFixed(0), JSON.stringify(f).length);
    }
  }
});
