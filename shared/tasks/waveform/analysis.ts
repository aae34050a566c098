import { readComplexSweep } from '../../science/datasets/rules.ts';
import { composeFigure, lineTrace } from '../../science/figures/compose.ts';
import { sweepProblem } from '../../science/fitting/sweep-problem.ts';
import { subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';

/** Minimum ratio of a pulse's largest sample to the usual difference of neighbouring samples. */
const SIGNIFICANT_SAMPLE = 4;

/** Shows the captured readout pulse, and refuses a capture without a pulse. */
export function analyseWaveform(input: AnalysisInput): Analysis {
  const sweep = readComplexSweep(input.dataset, 'time', 'iq');
  if (typeof sweep === 'string') return withoutFigures(sweep);
  const unusable = sweepProblem(sweep);
  if (unusable !== null) return withoutFigures(unusable);
  const sizes = sweep.re.map((re, index) => Math.hypot(re, sweep.im[index] ?? 0));
  const steps = sweep.re
    .slice(1)
    .map((re, index) =>
      Math.hypot(re - (sweep.re[index] ?? 0), (sweep.im[index + 1] ?? 0) - (sweep.im[index] ?? 0)),
    )
    .sort((a, b) => a - b);
  const usual = steps[Math.floor(steps.length / 2)] ?? 0;
  const largest = Math.max(...sizes);
  const figure = composeFigure(
    [lineTrace('I', sweep.x, sweep.re), lineTrace('Q', sweep.x, sweep.im), lineTrace('size', sweep.x, sizes)],
    {
      title: `${subjectOf(input)} · up to ${largest.toPrecision(3)} a.u.`,
      x: 'Time (ns)',
      y: 'Captured signal (a.u.)',
    },
  );
  if (largest > SIGNIFICANT_SAMPLE * usual) return { outputs: {}, r2: null, figures: [figure] };
  const refused = `no pulse of the capture exceeds the noise: its largest sample is ${largest.toPrecision(3)} a.u., neighbours differ by ${usual.toPrecision(3)}`;
  return { outputs: {}, r2: null, figures: [figure], refused };
}
