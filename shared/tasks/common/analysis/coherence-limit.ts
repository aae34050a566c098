import { NS_PER_US } from '../../../science/conventions/units.ts';
import { composeFigure, lineTrace, pointsTrace } from '../../../science/figures/compose.ts';
import type { Figure } from '../../../science/figures/model.ts';
import { type Estimate, estimateText } from '../../../science/fitting/estimate.ts';
import { numberOf } from '../parameters.ts';
import { subjectOf } from './figure-text.ts';
import type { AnalysedInput, AnalysisInput } from './model.ts';

const CURVE_POINTS = 200;

/** The limit as a function of the gate's length (ns), with the gate itself marked. */
export function coherenceLimitFigure(
  input: AnalysisInput,
  duration: number,
  found: Estimate,
  limit: (time: number) => number,
): Figure {
  const [from, to] = [Math.min(1, duration), 3 * duration];
  const times = Array.from(
    { length: CURVE_POINTS },
    (_, index) => from + ((to - from) * index) / (CURVE_POINTS - 1),
  );
  return composeFigure(
    [
      lineTrace('coherence limit', times, times.map(limit)),
      pointsTrace(`gate of ${Number(duration.toPrecision(4))} ns`, [duration], [found.value]),
    ],
    {
      title: `${subjectOf(input)} · F = ${estimateText(found, '')}`,
      x: 'Length of the gate (ns)',
      y: 'Largest average fidelity',
    },
  );
}

/** A time in ns with its error; a value without a known error counts as exact. */
export function timeOf(parameter: AnalysedInput | undefined): Estimate | undefined {
  const value = numberOf(parameter);
  if (value === undefined || !(value > 0)) return undefined;
  return { value: value * NS_PER_US, error: (parameter?.error ?? 0) * NS_PER_US };
}
