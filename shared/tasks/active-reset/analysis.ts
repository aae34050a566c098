import { composeFigure, pairedBarTraces } from '../../science/figures/compose.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import { weightOfSecond } from '../../science/fitting/mixture-weight.ts';
import { mean } from '../../science/fitting/statistics.ts';
import { subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { LOWEST_FIDELITY, movedByThreshold } from '../common/analysis/single-shots.ts';
import { classifyFirstReadings, readTwice } from '../common/analysis/two-readings.ts';

/** Trial shift of a cloud, in deviations of a shot. The weights of clouds change smoothly with their positions. */
const SMALL_STEP = 0.05;

/**
 * Fits two Gaussians to the readings before the reset, and determines with them the excited fraction after it. The
 * overlap of the Gaussians, which causes wrong assignments of single shots, does not count as an error of the reset.
 */
export function analyseActiveReset(input: AnalysisInput): Analysis {
  const readings = readTwice(input.dataset);
  if (typeof readings === 'string') return withoutFigures(readings);
  const firstReadings = classifyFirstReadings(readings);
  if (typeof firstReadings === 'string') return withoutFigures(firstReadings);
  const { mixture, threshold, fidelities } = firstReadings;
  const before = readings.map(({ first }) => weightOfSecond(mixture, first));
  const ofShots = readings.map(({ second }) => weightOfSecond(mixture, second));
  // An error in the positions of the clouds makes both fractions too large or too small together.
  const moved = movedByThreshold(
    mixture,
    threshold,
    (other) => readings.map(({ second }) => weightOfSecond(other, second).value),
    SMALL_STEP,
  );
  const after = ofShots.map(({ value, error }, state) => ({
    value,
    error: Math.hypot(error, moved[state] ?? 0),
  }));
  const residual = {
    value: mean(after.map(({ value }) => value)),
    error: Math.hypot(...ofShots.map(({ error }) => error), (moved[0] ?? 0) + (moved[1] ?? 0)) / 2,
  };
  const readable = fidelities.average.value >= LOWEST_FIDELITY;
  const resultText = readable ? `left ${estimateText(residual, '')}` : 'states not distinguished';
  const bars = (name: string, parts: readonly Estimate[]) => ({
    name,
    heights: parts.map(({ value }) => value),
    errors: parts.map(({ error }) => error),
  });
  const figure = composeFigure(
    pairedBarTraces(bars('before the reset', before), bars('after the reset', after)),
    {
      title: `${subjectOf(input)} · ${resultText}`,
      x: 'Prepared state',
      y: 'Excited population',
      xLabels: ['0', '1'],
    },
  );
  const [ground, excited] = after;
  if (!readable || ground === undefined || excited === undefined) {
    const refused = `both states cannot be distinguished, so nothing is known about the reset: the average fidelity would be ${estimateText(fidelities.average, '')}`;
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
