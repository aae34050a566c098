import { lineTrace, markerTrace, pointsTrace, unnamed } from '../../science/figures/compose.ts';
import { composePanels } from '../../science/figures/panels.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import { fitWeakLine } from '../../science/fitting/line-fit.ts';
import { phaseMap, phaseProblem } from '../../science/fitting/qubit-map.ts';
import { mean } from '../../science/fitting/statistics.ts';
import { subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { readFrequencySweep } from '../common/analysis/spectroscopy.ts';

/** A phase stands out beyond so many standard deviations of the noise. */
const SIGNIFICANT_PHASE = 3;
/** Of so many points noise alone exceeds three deviations once: the line must exceed this. */
const CERTAIN = 5;
const REACH = 0.04;
const USUAL_WIDTH = 4e-3;
const CURVE_POINTS = 201;

/** Robust standard deviation: outliers, which the lines are, hardly count. */
function noiseOf(values: readonly number[]): number {
  const sorted = values.map(Math.abs).sort((a, b) => a - b);
  return 1.4826 * (sorted[Math.floor(sorted.length / 2)] ?? 0);
}

/** Finds the line of the qubit as the largest phase of the readout tone over the drive `frequency`, and fits it. */
export function analyseQubitFrequencies(input: AnalysisInput): Analysis {
  const sweep = readFrequencySweep(input.dataset);
  if (typeof sweep === 'string') return withoutFigures(sweep);
  const signal = { x: sweep.x, y: [0], re: [sweep.re], im: [sweep.im] };
  const phases = (phaseMap(signal).phases[0] ?? []).map((phase) => phase ?? 0);
  const noise = noiseOf(phases);
  const sizes = phases.map(Math.abs);
  const largest = Math.max(...sizes);
  const seen = sweep.x.filter((_, index) => (sizes[index] ?? 0) > SIGNIFICANT_PHASE * noise);
  const at = sizes.indexOf(largest);
  const unusable = phaseProblem(signal);
  const line = unusable === null && largest > CERTAIN * noise ? locate(signal, at) : undefined;
  const curve =
    line?.width === undefined ? undefined : phaseCurve(sweep.x, phases, { ...line, width: line.width });
  const estimate = line?.frequency;
  const x = 'Drive frequency (GHz)';
  const figure = composePanels(
    [
      {
        data: [
          unnamed(
            lineTrace(
              'amplitude',
              sweep.x,
              sweep.re.map((re, index) => Math.hypot(re, sweep.im[index] ?? 0)),
            ),
          ),
        ],
        x,
        y: 'Amplitude (a.u.)',
      },
      {
        data: [
          unnamed(lineTrace('phase', sweep.x, phases)),
          pointsTrace(
            'phase beyond noise',
            seen,
            seen.map((frequency) => phases[sweep.x.indexOf(frequency)] ?? 0),
          ),
          ...(curve === undefined ? [] : [lineTrace('fit', curve.x, curve.y)]),
          ...(estimate === undefined
            ? []
            : [markerTrace('f01', estimate.value, Math.min(...phases), Math.max(...phases))]),
        ],
        x,
        y: 'Phase (rad)',
      },
    ],
    {
      title: `${subjectOf(input)} · ${estimate === undefined ? 'no line found' : `f = ${estimateText(estimate, 'GHz')}`}`,
      columns: 1,
      legend: true,
    },
  );
  if (estimate === undefined) {
    const refused =
      unusable ??
      `no line stands out: the largest phase is ${largest.toFixed(3)} rad, the noise ${noise.toFixed(3)} rad`;
    return { outputs: {}, r2: null, figures: [figure], refused };
  }
  return { outputs: { coarse_qubit_frequency: estimate }, r2: null, figures: [figure] };
}

interface Located {
  frequency: Estimate;
  /** Half width of the fitted line, GHz; undefined where a single point shows the qubit. */
  width?: number;
}

/** The fitted line as it shows in the phase: its height and level there follow linearly. */
function phaseCurve(
  frequencies: readonly number[],
  phases: readonly number[],
  { frequency, width }: { frequency: Estimate; width: number },
): { x: number[]; y: number[] } {
  const shape = (at: number) => 1 / (1 + ((at - frequency.value) / width) ** 2);
  const near = frequencies.flatMap((at, index) =>
    Math.abs(at - frequency.value) < REACH ? [{ shape: shape(at), phase: phases[index] ?? 0 }] : [],
  );
  const [meanShape, meanPhase] = [mean(near.map((each) => each.shape)), mean(near.map(({ phase }) => phase))];
  const squares = near.reduce((sum, each) => sum + (each.shape - meanShape) ** 2, 0);
  const products = near.reduce((sum, each) => sum + (each.shape - meanShape) * (each.phase - meanPhase), 0);
  const height = squares > 0 ? products / squares : 0;
  const x = Array.from({ length: CURVE_POINTS }, (_, index) => {
    const part = index / (CURVE_POINTS - 1);
    return frequency.value + (2 * part - 1) * REACH;
  });
  return { x, y: x.map((at) => meanPhase + height * (shape(at) - meanShape)) };
}

/** By a fit where the line is wide enough for one, else by the point that shows it. */
function locate(signal: { x: number[]; y: number[]; re: number[][]; im: number[][] }, at: number): Located {
  const seen = signal.x[at] ?? 0;
  const spacing = Math.abs((signal.x[at + 1] ?? signal.x[at - 1] ?? 0) - seen);
  const window = { rows: [0], centre: seen, reach: REACH };
  const fit = fitWeakLine(signal, window, () => USUAL_WIDTH ** 2, true);
  if (fit.fit.ok && fit.error < spacing && Math.abs(fit.frequency - seen) < 2 * spacing) {
    const factor = fit.fit.parameters[4] ?? 1;
    return {
      frequency: { value: fit.frequency, error: fit.error },
      width: USUAL_WIDTH * Math.sqrt(Math.max(1e-8, factor)),
    };
  }
  return { frequency: { value: seen, error: spacing / Math.sqrt(12) } };
}
