import { drawPng, drawSvg } from '../../shared/figures/draw.ts';
import { composeFigure, pointsTrace, curveTrace } from '../../shared/figures/compose.ts';
import v8 from 'node:v8'; import vm from 'node:vm';
const x = Array.from({ length: 51 }, (_, i) => i * 8);
const f = composeFigure([pointsTrace('data', x, x.map(Math.sin)), curveTrace('fit', x, Math.sin)], { title: 't', x: 'a', y: 'b' });
v8.setFlagsFromString('--expose-gc'); const gc: any = vm.runInNewContext('gc');
const mode = process.argv[2];
let g = 0;
for (let i = 0; i < 150; i++) { if (mode === 'svg') drawSvg(f); else drawPng(f); if (mode === 'minor') { const s = performance.now(); gc({ type: 'minor' }); g += performance.now() - s; } if (mode==='major' && i%10===9) { const s = performance.now(); gc(); g += performance.now() - s; } if (i % 50 === 49) { const m = process.memoryUsage(); console.log(mode, i, 'rss', (m.rss / 1e6).toFixed(0), 'heap', (m.heapUsed / 1e6).toFixed(0), 'ext', (m.external / 1e6).toFixed(0), 'gc ms', (g/i).toFixed(2)); } if (mode === 'tick') await new Promise((r) => setImmediate(r)); }
