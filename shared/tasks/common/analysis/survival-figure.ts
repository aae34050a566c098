import { pointsTrace } from '../../../science/figures/compose.ts';
import { composeFit } from '../../../science/figures/fit-figure.ts';
import type { Figure } from '../../../science/figures/model.ts';
import { fitName, subjectOf } from './figure-text.ts';
import type { AnalysisInput } from './model.ts';
import type { SurvivalCurve, SurvivalFit } from './survival-curve.ts';

const SINGLE = { colour: '#999999', size: 3, opacity: 0.45 };

/**
 * Survival over the number of Cliffords, on a logarithmic axis because lengths double: means with their standard errors,
 * individual sequences behind them, fits, and residuals. A length of 0 cannot be shown on such an axis.
 */
export function survivalFigure(
  { task, qid }: AnalysisInput,
  { found, population }: { found: string; population: '0' | '00' },
  curves: readonly { name: string; fitPrefix: string; curve: SurvivalCurve; fitted: SurvivalFit }[],
): Figure {
  const series = curves.map(({ name, fitPrefix, curve, fitted: { fit, evaluate } }) => {
    const shown = curve.counts.flatMap((count, index) => (count > 0 ? [index] : []));
    const pick = (values: readonly number[]) => shown.map((index) => values[index] ?? 0);
    return {
      name,
      x: pick(curve.counts),
      y: pick(curve.means),
      sigma: pick(curve.errors),
      curve: fit.ok ? { name: fitPrefix + fitName(fit.r2), at: evaluate } : null,
    };
  });
  const single = curves.flatMap(({ curve }) => curve.single).filter(({ count }) => count > 0);
  const behind = {
    ...pointsTrace(
      'single sequences',
      single.map(({ count }) => count),
      single.map(({ survival }) => survival),
    ),
    marker: { color: SINGLE.colour, size: SINGLE.size },
    opacity: SINGLE.opacity,
  };
  const hasZero = curves.some(({ curve }) => curve.counts.includes(0));
  return composeFit(
    series,
    {
      title: `${subjectOf({ task, qid })} · ${found}`,
      x: `Number of Cliffords${hasZero ? ' (0 is not shown)' : ''}`,
      y: `Population of ${population}, mean ± error`,
      xScale: 'log',
    },
    [behind],
  );
}
