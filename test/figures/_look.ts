import { writeFileSync } from 'node:fs';
import { createSimulator } from '../../activities/backends/simulator/simulator.ts';
import { analyse } from '../../shared/analysis/analyse.ts';
import { findTask } from '../../shared/tasks/catalog.ts';
import { resolveRunParameters } from '../../shared/tasks/run-parameters.ts';
import { drawPng, drawSvg } from '../../shared/figures/draw.ts';
import { composeFigure, heatmapTrace } from '../../shared/figures/compose.ts';
const at = new Date('2026-03-01T00:00:00Z');
async function go(name: string, qid: string, faults?: any) {
  const task = findTask(name)!;
  const sim = createSimulator({ seed: `look`, now: () => at, faults });
  const start = sim.startValues('c', qid, at);
  const inputs: any = {}; for (const i of Object.keys(task.inputs)) inputs[i] = start[i];
  const run = resolveRunParameters(task, []).parameters;
  const request: any = { contract: 1, project_id: 'p', chip_id: 'c', execution_id: 'e', epoch: 1, task_id: `t`, attempt: 1, task_name: name, task_type: 'qubit', targets: [qid], input_parameters: inputs, run_parameters: run, artifact_dir: '/tmp', deadline: new Date(Date.now() + 1e6).toISOString() };
  const res: any = await sim.measure(request, { signal: new AbortController().signal, heartbeat() {} });
  return analyse({ task, qid, dataset: res.targets[qid].dataset, inputs, runParameters: run });
}
const rabi = await go('CheckRabi', '3'); const t1 = await go('CheckT1', '12');
const noise = await go('CheckRabi', '3', { rules: [{ match: {}, behaviour: 'noise' }] });
const noiseT1 = await go('CheckT1', '3', { rules: [{ match: {}, behaviour: 'noise' }] });
console.log(noise.refused, noise.r2, noiseT1.refused, noiseT1.r2);
const x = Array.from({ length: 31 }, (_, i) => 7.99 + (i - 15) * 0.005), y = Array.from({ length: 13 }, (_, i) => i * 8);
const z = y.map((t) => x.map((f) => { const d = f - 7.99, W = Math.hypot(0.0125, d); return 1 - 2 * (0.0125 / W) ** 2 * Math.sin(Math.PI * W * t) ** 2; }));
z[3]![4] = null as any;
const heat = composeFigure([heatmapTrace('signal', x, y, z)], { title: 'CheckCoarseChevron · qubit 3 · f = 7.99001 ± 0.00012 GHz', x: 'Drive frequency (GHz)', y: 'Pulse length (ns)' });
const all: any = { rabi: rabi.figures[0], plane: rabi.figures[1], t1: t1.figures[0], noise: noise.figures[0], noiseplane: noise.figures[1], noiset1: noiseT1.figures[0], heat };
for (const [k, f] of Object.entries(all)) {
  const t0 = performance.now(); const png = drawPng(f as any); console.log(k, (performance.now() - t0).toFixed(1), png.length);
  writeFileSync(`/tmp/fig-${k}.png`, png); writeFileSync(`/tmp/fig-${k}.svg`, drawSvg(f as any));
}
let t0 = performance.now(); for (let i = 0; i < 30; i++) drawSvg(all.rabi); console.log('svg', (performance.now() - t0) / 30);
t0 = performance.now(); for (let i = 0; i < 30; i++) drawPng(all.rabi); console.log('png', (performance.now() - t0) / 30);
