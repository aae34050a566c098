import { analyse } from '../../shared/analysis/analyse.ts';
import { drawPng } from '../../shared/figures/draw.ts';
import type { Figure } from '../../shared/figures/model.ts';
import type { AnalysedAndDrawn, DrawnFigure, Job } from './pool.ts';

function draw(figure: Figure): DrawnFigure {
  return {
    json: JSON.stringify(figure),
    png: drawPng(figure),
    role: figure.layout.meta?.figure_role,
  };
}

/** Runs in a thread of the pool. */
export default function work(job: Job): AnalysedAndDrawn {
  if (job.kind === 'draw') return { outputs: {}, r2: null, figures: job.figures.map(draw) };
  const analysis = analyse(job.input);
  return { ...analysis, figures: analysis.figures.map(draw) };
}
