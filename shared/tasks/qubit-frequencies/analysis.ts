import { readComplexSweep } from '../../science/datasets/rules.ts';
import { composeFigure, lineTrace, pointsTrace } from '../../science/figures/compose.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import { fitWeakLine } from '../../science/fitting/line-fit.ts';
import { inOrder } from '../../science/fitting/phases.ts';
import { phaseMap } from '../../science/fitting/qubit-map.ts';
import { sweepProblem } from '../../science/fitting/sweep-problem.ts';
import { subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { FEWEST_FREQUENCIES } from '../common/analysis/spectroscopy.ts';

/** A phase stands out beyond so many standard deviations of the noise. */
const SIGNIFICANT_PHASE = 3;
/** Of so many points noise alone exceeds three deviations once: the line must exceed this. */
const CERTAIN = 5;
const REACH = 0.04;
const USUAL_WIDTH = 4e-3;

/** Robust standard deviation: outliers, which the lines are, hardly count. */
function noiseOf(values: readonly number[]): number {
  const sorted = values.map(Math.abs).sort((a, b) => a - b);
  return 1.4826 * (sorted[Math.floor(sorted.length / 2)] ?? 0);
}

/** Finds the line of the qubit as the largest phase of the readout tone over the drive `frequency`, and fits it. */
export function analyseQubitFrequencies(input: AnalysisInput): Analysis {
  const read = readComplexSweep(input.dataset, 'frequency', 'iq');
  if (typeof read === 'string') return withoutFigures(read);
  const unusable = sweepProblem(read);
  if (unusable !== null) return withoutFigures(unusable);
  if (read.x.length < FEWEST_FREQUENCIES) {
    return withoutFigures(`${read.x.length} frequencies are too few; it takes ${FEWEST_FREQUENCIES}`);
  }
  const sweep = inOrder(read);
  const signal = { x: sweep.x, y: [0], re: [sweep.re], im: [sweep.im] };
  const phases = (phaseMap(signal).phases[0] ?? []).map((phase) => phase ?? 0);
  const noise = noiseOf(phases);
  const sizes = phases.map(Math.abs);
  const largest = Math.max(...sizes);
  const seen = sweep.x.filter((_, index) => (sizes[index] ?? 0) > SIGNIFICANT_PHASE * noise);
  const at = sizes.indexOf(largest);
  const estimate = largest > CERTAIN * noise ? locate(signal, at) : undefined;
  const figure = composeFigure(
    [
      lineTrace(
        'amplitude (a.u.)',
        sweep.x,
        sweep.re.map((re, index) => Math.hypot(re, sweep.im[index] ?? 0)),
      ),
      lineTrace('phase (rad)', sweep.x, phases),
      pointsTrace(
        'phase beyond noise',
        seen,
        seen.map((frequency) => phases[sweep.x.indexOf(frequency)] ?? 0),
      ),
    ],
    {
      title: `${subjectOf(input)} · ${estimate === undefined ? 'no line found' : `f = ${estimateText(estimate, 'GHz')}`}`,
      x: 'Drive frequency (GHz)',
      y: 'Readout: amplitude (a.u.), phase (rad)',
    },
  );
  if (estimate === undefined) {
    const refused = `no line stands out: the largest phase is ${largest.toFixed(3)} rad, the noise ${noise.toFixed(3)} rad`;
    return { outputs: {}, r2: null, figures: [figure], refused };
  }
  return { outputs: { coarse_qubit_frequency: estimate }, r2: null, figures: [figure] };
}

/** By a fit where the line is wide enough for one, else by the point that shows it. */
function locate(signal: { x: number[]; y: number[]; re: number[][]; im: number[][] }, at: number): Estimate {
  const seen = signal.x[at] ?? 0;
  const spacing = Math.abs((signal.x[at + 1] ?? signal.x[at - 1] ?? 0) - seen);
  const window = { rows: [0], centre: seen, reach: REACH };
  const fit = fitWeakLine(signal, window, () => USUAL_WIDTH ** 2, true);
  if (fit.fit.ok && fit.error < spacing && Math.abs(fit.frequency - seen) < 2 * spacing) {
    return { value: fit.frequency, error: fit.error };
  }
  return { value: seen, error: spacing / Math.sqrt(12) };
}
