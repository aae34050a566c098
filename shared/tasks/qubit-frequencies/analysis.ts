import type { ComplexSweep } from '../../science/datasets/rules.ts';
import { lineTrace, markerTrace, pointsTrace, unnamed } from '../../science/figures/compose.ts';
import { composePanels } from '../../science/figures/panels.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import { fitWeakLine } from '../../science/fitting/line-fit.ts';
import {
  type ChosenLine,
  lineOfFirstTransition,
  linesText,
  SECOND_DISTANCE,
  seenLines,
} from '../../science/fitting/line-search.ts';
import { phaseMap, phaseProblem } from '../../science/fitting/qubit-map.ts';
import { mean } from '../../science/fitting/statistics.ts';
import { subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { readFrequencySweep } from '../common/analysis/spectroscopy.ts';

/** Significance of a phase, in standard deviations of the noise. */
const SIGNIFICANT_PHASE = 3;
/** Minimum significance of a line, in standard deviations. Noise alone often exceeds three of them in a sweep. */
const CERTAIN = 5;
const REACH = 0.04;
const USUAL_WIDTH = 4e-3;
/**
 * Range of a fit on either side of a line: in half widths of a wide line, and its minimum in points for a narrow one.
 */
const WIDTHS = 4;
const MIN_POINTS = 3;
/**
 * Maximum residuals of a line: in deviations of the noise, or as a fraction of its height, which allows for a slightly
 * different line shape.
 */
const MAX_NOISE = 2;
const MISFIT = 0.1;
const CURVE_POINTS = 201;

/** Robust standard deviation, which the lines, as outliers, hardly affect. */
function noiseOf(values: readonly number[]): number {
  const sorted = values.map(Math.abs).sort((a, b) => a - b);
  return 1.4826 * (sorted[Math.floor(sorted.length / 2)] ?? 0);
}

/**
 * Finds the line of the qubit in the readout tone over the drive `frequency`, and fits it. If several lines are
 * visible, {@link lineOfFirstTransition} chooses one, or the sweep is refused.
 */
export function analyseQubitFrequencies(input: AnalysisInput): Analysis {
  const sweep = readFrequencySweep(input.dataset);
  if (typeof sweep === 'string') return withoutFigures(sweep);
  const signal = { x: sweep.x, y: [0], re: [sweep.re], im: [sweep.im] };
  const phases = (phaseMap(signal).phases[0] ?? []).map((phase) => phase ?? 0);
  const noise = noiseOf(phases);
  const sizes = phases.map(Math.abs);
  const largest = Math.max(...sizes);
  const seen = sweep.x.filter((_, index) => (sizes[index] ?? 0) > SIGNIFICANT_PHASE * noise);
  const unusable = phaseProblem(signal);
  const chosen =
    unusable === null && largest > CERTAIN * noise
      ? chosenLine(sweep, sizes.indexOf(largest))
      : `no line exceeds the noise: the largest phase is ${largest.toFixed(3)} rad, the noise ${noise.toFixed(3)} rad`;
  const located = typeof chosen === 'string' ? chosen : locate(signal, chosen, chosen.noise);
  const line = typeof located === 'string' ? undefined : located;
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
  if (typeof chosen === 'string' || estimate === undefined) {
    const refused = unusable ?? (typeof located === 'string' ? located : 'no line is found');
    return { outputs: {}, r2: null, figures: [figure], refused };
  }
  const { others } = chosen;
  const notes =
    others.length === 0
      ? []
      : [
          `Of several lines, the one at ${linesText([chosen.line])} is taken for f01; others are at ${linesText(others)}.`,
        ];
  return { outputs: { coarse_qubit_frequency: estimate }, r2: null, figures: [figure], notes };
}

/**
 * The line of f01, or the reason why it is ambiguous. A line of one point that is visible only in the phase has no
 * width.
 */
function chosenLine(sweep: ComplexSweep, largest: number): (ChosenLine & { noise: number }) | string {
  const { lines, noise } = seenLines(sweep);
  if (lines.length === 0) {
    const frequency = sweep.x[largest] ?? 0;
    return { line: { index: largest, frequency, height: CERTAIN, width: 0, spacing: 0 }, others: [], noise };
  }
  const chosen = lineOfFirstTransition(lines);
  if (!('undecided' in chosen)) return { ...chosen, noise };
  return `lines at ${linesText(chosen.undecided)} are about equally strong, and it is unknown which is f01: sweep the neighbourhood of one of them, or drive more weakly, which leaves f01 alone of a qubit's own lines`;
}

interface Located {
  frequency: Estimate;
  /** Half width of the fitted line, GHz; undefined if only a single point shows the qubit. */
  width?: number;
}

/** The fitted line in the phase. Its height and offset there follow linearly. */
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

/**
 * The frequency from a fit if the line is wide enough, otherwise from the point that shows it. The fit covers the
 * neighbourhood of the line, up to the next line.
 * @returns the reason why the line gives no frequency, if it does not look like a single line
 */
function locate(
  signal: { x: number[]; y: number[]; re: number[][]; im: number[][] },
  { line, others }: ChosenLine,
  noise: number,
): Located | string {
  const { index, frequency: seen } = line;
  if (others.length === 0 && line.width > SECOND_DISTANCE.from) {
    return `the line at ${seen.toFixed(3)} GHz is ${(1000 * line.width).toFixed(0)} MHz wide to either side, so that it may contain the qubit's line of two photons: drive more weakly`;
  }
  const spacing = Math.abs((signal.x[index + 1] ?? signal.x[index - 1] ?? 0) - seen);
  const next = Math.min(...others.map((other) => Math.abs(other.frequency - seen) - 2 * other.width));
  const reach = Math.max(MIN_POINTS * spacing, Math.min(Math.max(REACH, WIDTHS * line.width), next / 2));
  const usual = Math.max(USUAL_WIDTH, line.width);
  const window = { rows: [0], centre: seen, reach };
  const { fit, frequency, error } = fitWeakLine(signal, window, () => usual ** 2, true);
  const isLine = fit.ok && Math.abs(frequency - seen) < 2 * Math.max(spacing, line.width);
  const left = isLine ? deviationOf(fit.whitened.residuals, fit.parameters.length) : 0;
  if (left > Math.max(MAX_NOISE * noise, MISFIT * line.height * noise)) {
    return `the signal around ${seen.toFixed(3)} GHz is not one line: drive more weakly, or sweep more finely`;
  }
  if (isLine && error < spacing) {
    const factor = fit.parameters[4] ?? 1;
    return { frequency: { value: frequency, error }, width: usual * Math.sqrt(Math.max(1e-8, factor)) };
  }
  if (line.width > spacing) {
    return `the line at ${seen.toFixed(3)} GHz is ${(1000 * line.width).toFixed(0)} MHz wide to either side and cannot be fitted: drive more weakly`;
  }
  return { frequency: { value: seen, error: spacing / Math.sqrt(12) } };
}

function deviationOf(residuals: readonly number[], parameters: number): number {
  const squares = residuals.reduce((sum, value) => sum + value ** 2, 0);
  return Math.sqrt(squares / Math.max(1, residuals.length - parameters));
}
