import { composeFigure, pairedBarTraces } from '../../science/figures/compose.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import { weightOfSecond } from '../../science/fitting/mixture-weight.ts';
import { mean } from '../../science/fitting/statistics.ts';
import { subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { LOWEST_FIDELITY } from '../common/analysis/single-shots.ts';
import { readTwice, tellFirstReadings } from '../common/analysis/two-readings.ts';

/**
 * Fits two Gaussians to the readings before the reset, and finds with them how many of the shots after it are excited:
 * their overlap, by which single shots are told wrong, does not count as an error of the reset.
 */
export function analyseActiveReset(input: AnalysisInput): Analysis {
  const readings = readTwice(input.dataset);
  if (typeof readings === 'string') return withoutFigures(readings);
  const told = tellFirstReadings(readings);
  if (typeof told === 'string') return withoutFigures(told);
  const { mixture, fidelities } = told;
  const before = readings.map(({ first }) => weightOfSecond(mixture, first));
  const after = readings.map(({ second }) => weightOfSecond(mixture, second));
  const residual = {
    value: mean(after.map(({ value }) => value)),
    error: Math.hypot(...after.map(({ error }) => error)) / 2,
  };
  const readable = fidelities.average.value >= LOWEST_FIDELITY;
  const said = readable ? `left ${estimateText(residual, '')}` : 'states not told apart';
  const bars = (name: string, parts: readonly Estimate[]) => ({
    name,
    heights: parts.map(({ value }) => value),
    errors: parts.map(({ error }) => error),
  });
  const figure = composeFigure(
    pairedBarTraces(bars('before the reset', before), bars('after the reset', after)),
    {
      title: `${subjectOf(input)} · ${said}`,
      x: 'Prepared state',
      y: 'Excited population',
      xLabels: ['0', '1'],
    },
  );
  const [ground, excited] = after;
  if (!readable || ground === undefined || excited === undefined) {
    const refused = `both states cannot be told apart, so nothing is told of the reset: the average fidelity would be ${estimateText(fidelities.average, '')}`;
    return { outputs: {}, r2: null, figures: [figure], refused };
  }
  return {
    outputs: {
      reset_residual_population: residual,
      reset_residual_0: ground,
      reset_residual_1: excited,
    },
    r2: null,
    figures: [figure],
  };
}
