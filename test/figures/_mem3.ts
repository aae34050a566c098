import { createAnalysisPool } from '../../activities/analysis/_p.ts';
import { composeFigure, pointsTrace, curveTrace } from '../../shared/figures/compose.ts';
const x = Array.from({ length: 51 }, (_, i) => i * 8);
const f = composeFigure([pointsTrace('data', x, x.map(Math.sin)), curveTrace('fit', x, Math.sin)], { title: 't', x: 'a', y: 'b' });
const pool = createAnalysisPool();
for (let r = 0; r < 4; r++) { const s = process.cpuUsage().user; await Promise.all(Array.from({ length: 100 }, () => pool.drawFigures([f, f]))); console.log(r, ((process.cpuUsage().user - s) / 200e3).toFixed(1), 'cpu ms/fig', (process.memoryUsage().rss / 1e6).toFixed(0)); }
await pool.destroy();
