import { createAnalysisPool } from '../../activities/analysis/pool.ts';
import { analyse } from '../../shared/analysis/analyse.ts';
import { drawPng, drawSvg } from '../../shared/figures/draw.ts';
import { createSimulator } from '../../activities/backends/simulator/simulator.ts';
import { findTask } from '../../shared/tasks/catalog.ts';
import { resolveRunParameters } from '../../shared/tasks/run-parameters.ts';
const at = new Date();
const pool = createAnalysisPool();
for (const name of ['CheckRabi', 'CheckT1']) {
  const task = findTask(name)!; const sim = createSimulator(); const inputs: any = sim.startValues('c', '0', at);
  const run = resolveRunParameters(task, []).parameters;
  const r: any = await sim.measure({ contract: 1, project_id: '', chip_id: 'c', execution_id: '', epoch: 1, task_id: '', attempt: 1, task_name: name, task_type: 'qubit', targets: ['0'], input_parameters: inputs, run_parameters: run, artifact_dir: '', deadline: '' }, { signal: new AbortController().signal, heartbeat() {} });
  const input = { task, qid: '0', dataset: r.targets['0'].dataset, inputs, runParameters: run };
  const time = async (label: string, f: () => unknown, n = 40) => { for (let i = 0; i < 5; i++) await f(); const t: number[] = []; for (let i = 0; i < n; i++) { const s = performance.now(); await f(); t.push(performance.now() - s); } t.sort((a, b) => a - b); console.log(name, label, 'median', t[n / 2]!.toFixed(1), 'max', t.at(-1)!.toFixed(1)); };
  await time('fit', () => analyse(input));
  const figs = analyse(input).figures;
  await time(`svg of ${figs.length}`, () => figs.map(drawSvg));
  await time(`png of ${figs.length}`, () => figs.map(drawPng));
  const s = performance.now(); await pool.analyseAndDraw(input); console.log('first pool call', (performance.now() - s).toFixed(0));
  await time('pool', () => pool.analyseAndDraw(input));
  const s2 = performance.now(); await Promise.all(Array.from({ length: 40 }, () => pool.analyseAndDraw(input))); console.log('40 parallel: each', ((performance.now() - s2) / 40).toFixed(1));
  console.log('heap MB', (process.memoryUsage().rss / 1e6).toFixed(0));
}
await pool.destroy();
