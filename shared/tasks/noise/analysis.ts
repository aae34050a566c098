import { readComplexSweep } from '../../science/datasets/rules.ts';
import { composeFigure, pointsTrace } from '../../science/figures/compose.ts';
import { estimateText } from '../../science/fitting/estimate.ts';
import { standardDeviation } from '../../science/fitting/statistics.ts';
import { sweepProblem } from '../../science/fitting/sweep-problem.ts';
import { subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';

/** Shows the noise of the converters. No calibration uses it. */
export function analyseNoise(input: AnalysisInput): Analysis {
  const sweep = readComplexSweep(input.dataset, 'time', 'iq');
  if (typeof sweep === 'string') return withoutFigures(sweep);
  const unusable = sweepProblem(sweep);
  if (unusable !== null) return withoutFigures(unusable);
  const value = Math.sqrt((standardDeviation(sweep.re) ** 2 + standardDeviation(sweep.im) ** 2) / 2);
  // The noise is estimated from 2 n numbers; the two means use two degrees of freedom.
  const noise = { value, error: value / Math.sqrt(4 * (sweep.x.length - 1)) };
  const figure = composeFigure([pointsTrace('samples', sweep.re, sweep.im)], {
    title: `${subjectOf(input)} · noise ${estimateText(noise, 'a.u.')}`,
    x: 'I (a.u.)',
    y: 'Q (a.u.)',
    equalAspect: true,
  });
  return { outputs: {}, r2: null, figures: [figure] };
}
