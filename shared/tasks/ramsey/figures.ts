import { composeFigure, lineTrace, pointsTrace } from '../../science/figures/compose.ts';
import { composeFit } from '../../science/figures/fit-figure.ts';
import type { Figure } from '../../science/figures/model.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import type { FringesFit } from '../../science/fitting/fringes.ts';
import { fitName, subjectOf } from '../common/analysis/figure-text.ts';
import type { AnalysisInput } from '../common/analysis/model.ts';
import type { FringeDecay } from './fringe-decay.ts';
import type { Fringes } from './read-fringes.ts';

const SPIRAL_POINTS = 801;

function fringeName({ fit, envelope }: FringesFit): string {
  const how = { exponential: '', gaussian: 'Gaussian ', beating: 'beating ' }[envelope];
  return `${how}${fitName(fit.r2 ?? 0)}`;
}

export function fringeFigure(
  { task, qid }: AnalysisInput,
  {
    fringes,
    found: { found, kept, sigma },
    resultText = 'no usable fit',
    xScale = 'linear',
  }: { fringes: Fringes; found: FringeDecay; resultText: string | undefined; xScale?: 'linear' | 'log' },
  axis: 'X' | 'Y',
): Figure {
  const { y, label } = axis === 'X' ? fringes.x : fringes.y;
  const along = axis === 'X' ? found.x : found.y;
  // The points of X come before those of Y.
  const first = axis === 'X' ? 0 : fringes.t.length;
  const shown = kept.flatMap((place, index) => {
    const at = place - first;
    return at < 0 || at >= fringes.t.length ? [] : [{ at, sigma: sigma?.[index] }];
  });
  const deviations = shown.flatMap((point) => point.sigma ?? []);
  const curve = found.fit.ok ? { name: fringeName(found), at: (time: number) => along(1000 * time) } : null;
  const series = {
    name: 'data',
    x: shown.map(({ at }) => (fringes.t[at] ?? 0) / 1000),
    y: shown.map(({ at }) => y[at] ?? 0),
    sigma: deviations.length === shown.length ? deviations : undefined,
    curve,
  };
  return composeFit([series], {
    title: `${task.name} ${axis} · qubit ${qid} · ${resultText}`,
    x: 'Free time (µs)',
    y: `${axis} ${label}`,
    xScale,
  });
}

export function spiralFigure(
  { task, qid }: AnalysisInput,
  { t, x, y }: Fringes,
  { found }: FringeDecay,
  t2Star?: Estimate,
): Figure {
  const data = [pointsTrace('data', x.y, y.y)];
  if (found.fit.ok) {
    const [from, to] = [Math.min(...t), Math.max(...t)];
    const times = Array.from(
      { length: SPIRAL_POINTS },
      (_, index) => from + ((to - from) * index) / (SPIRAL_POINTS - 1),
    );
    data.push(lineTrace(fringeName(found), times.map(found.x), times.map(found.y)));
  }
  const text = t2Star === undefined ? 'no usable fit' : `T2* = ${estimateText(t2Star, 'µs')}`;
  return composeFigure(data, {
    title: `${subjectOf({ task, qid })} · ${text}`,
    x: `X ${x.label}`,
    y: `Y ${y.label}`,
    equalAspect: true,
  });
}
