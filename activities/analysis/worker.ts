import { setImmediate as nextTurn } from 'node:timers/promises';
import { drawPng } from '../../shared/science/figures/draw.ts';
import type { Figure } from '../../shared/science/figures/model.ts';
import { analyse } from '../../shared/tasks/analyses.ts';
import type { AnalysedAndDrawn, DrawnFigure, Job } from './pool.ts';

async function draw(figures: readonly Figure[]): Promise<DrawnFigure[]> {
  const drawn: DrawnFigure[] = [];
  for (const figure of figures) {
    const { figure_role, qdash_figure_role } = figure.layout.meta ?? {};
    drawn.push({
      json: JSON.stringify(figure),
      png: drawPng(figure),
      role: figure_role ?? qdash_figure_role,
    });
    // The memory of pictures is given back by finalizers that wait for the event loop to turn.
    await nextTurn();
  }
  return drawn;
}

/** Runs in a thread of the pool. */
export default async function work(job: Job): Promise<AnalysedAndDrawn> {
  if (job.kind === 'draw') return { outputs: {}, r2: null, figures: await draw(job.figures) };
  const analysis = analyse(job.input);
  return { ...analysis, figures: await draw(analysis.figures) };
}
