import { composeFit } from '../../science/figures/fit-figure.ts';
import type { Figure } from '../../science/figures/model.ts';
import { type Estimate, estimateText, SIGNIFICANT } from '../../science/fitting/estimate.ts';
import { estimateOverLosses, lossProbabilities } from '../../science/fitting/gain-compression.ts';
import { linesText, rivalLines, type ToneSignal } from '../../science/fitting/line-search.ts';
import type { PulsedLineFit } from '../../science/fitting/pulsed-line.ts';
import { thresholdAtNoise } from '../common/analysis/attainable-r2.ts';
import { lossNotes } from '../common/analysis/compressed-decay.ts';
import { fitName, subjectOf } from '../common/analysis/figure-text.ts';
import { type JudgedFit, parameterEstimate } from '../common/analysis/judged-fit.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { memoryNotes } from '../common/analysis/points-with-memory.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { readFrequencySweep } from '../common/analysis/spectroscopy.ts';
import type { ScaledSignal } from '../common/analysis/state-scale.ts';
import { numberOf } from '../common/parameters.ts';
import { moreShots, widerSweep } from '../suggested-run.ts';
import { contradiction, withAnotherMiddle } from './known-anharmonicity.ts';
import { fitLine } from './line.ts';

/** Maximum error of the line's frequency, GHz. A less precise line gives no anharmonicity. */
const LARGEST_ERROR = 1e-3;

/**
 * Fits the line of a square pulse to `iq_re`, `iq_im` over `frequency`, along their principal axis. Its height and
 * width are free parameters, so neither the positions of the states nor the strength of the drive must be known.
 */
export function analyseEfSpectroscopy(input: AnalysisInput): Analysis {
  const sweep = readFrequencySweep(input.dataset);
  if (typeof sweep === 'string') return withoutFigures(sweep);
  const stored = input.inputs.qubit_frequency;
  const first = numberOf(stored);
  if (first === undefined) return withoutFigures('the frequency of the qubit is unknown');
  const { signal, judged, lossy, fault } = fitLine(input, sweep);
  const { fit } = judged.found;
  const losses = lossy === null ? null : lossProbabilities([lossy]);
  const plain = lineOf(judged);
  const line =
    lossy === null || losses === null ? plain : estimateOverLosses(plain, 1, { fits: lossy, losses });
  const anharmonicity = {
    value: line.value - first,
    error: Math.hypot(line.error, stored?.error ?? 0),
  };
  const known = input.inputs.anharmonicity;
  const refused =
    fault ??
    problemOf(sweep.x, judged) ??
    judged.judgement?.problem ??
    rivalry(sweep) ??
    contradiction(anharmonicity, known);
  const figures = [lineFigure(input, sweep.x, { signal, judged }, refused === null ? line : undefined)];
  const quality = { r2: fit.r2, ...(fit.ok && thresholdOf(input, judged)) };
  if (refused !== null) {
    const { runParameters: run } = input;
    const suggestion = isAtEdge(sweep.x, judged)
      ? widerSweep(run, 'distance_range', 'the line is at the edge of the sweep')
      : moreShots(run, 'the line is lost in noise');
    const notes = notesOf(input, sweep, quality);
    return { outputs: {}, ...quality, figures, refused, notes, ...(suggestion && { suggestion }) };
  }
  const notes = [...memoryNotes(judged.memory), ...lossNotes(losses)];
  const distances = sweep.x.map((frequency) => frequency - first);
  const again = withAnotherMiddle(distances, anharmonicity, known);
  if (again !== null) return { outputs: {}, ...quality, figures, refused: again.reason, again, notes };
  return {
    outputs: { ef_frequency: line, anharmonicity },
    ...quality,
    figures,
    ...(notes.length > 0 && { notes }),
  };
}

/** The lines are reported only if r2 is good, because the gate reports a low r2 first. */
function notesOf(
  { task }: AnalysisInput,
  sweep: ToneSignal,
  { r2, r2Threshold = task.r2Threshold ?? 0 }: { r2: number | null; r2Threshold?: number },
): string[] {
  const lines = r2 !== null && r2 <= r2Threshold ? rivalry(sweep) : null;
  return lines === null ? [] : [`It may be that ${lines}.`];
}

/** A message if several comparable lines are visible; null if one is much stronger than the others. */
function rivalry(sweep: ToneSignal): string | null {
  const lines = rivalLines(sweep);
  return lines.length > 1
    ? `lines at ${linesText(lines)} are comparable, and it is unknown which is f12: sweep the neighbourhood of one of them`
    : null;
}

function thresholdOf({ task }: AnalysisInput, { found: { fit }, judgement }: JudgedFit<PulsedLineFit>) {
  if (!fit.ok || judgement === null) return {};
  const { chiSquare, points } = judgement;
  const parameters = fit.parameters.length;
  const r2Threshold = thresholdAtNoise(task.r2Threshold, { r2: fit.r2, chiSquare, points, parameters });
  return r2Threshold === undefined ? {} : { r2Threshold };
}

/**
 * Frequency of the line. Most points are outside the line and have less noise than their deviations predict. Their
 * small scatter shows nothing about the points of the line.
 */
function lineOf({ found: { fit }, judgement }: JudgedFit<PulsedLineFit>): Estimate {
  const { value, error } = parameterEstimate(fit, 1);
  return { value, error: error / Math.sqrt(Math.min(1, judgement?.chiSquare ?? 1)) };
}

/** The reason why the line cannot be used, with numbers; null if it can. */
function problemOf(x: readonly number[], { found: { fit } }: JudgedFit<PulsedLineFit>): string | null {
  if (!fit.ok) return fit.message;
  const [height, line, rabi] = [0, 1, 2].map((place) => parameterEstimate(fit, place));
  if (height === undefined || line === undefined || rabi === undefined) return 'the fit gives no line';
  if (!(Math.abs(height.value) > SIGNIFICANT * height.error)) {
    return `no line exceeds the noise: its height would be ${estimateText(height, 'a.u.')}`;
  }
  const found = estimateText(line, 'GHz');
  if (!(line.error < LARGEST_ERROR)) return `the line is not resolved: it would be at ${found}`;
  if (isAtEdge(x, { found: { fit } })) {
    return `the line is at the edge of the sweep, at ${found}; shift distance_range so that it is inside`;
  }
  return null;
}

/** Whether a sweep does not cover both flanks of the line. */
function isAtEdge(x: readonly number[], { found: { fit } }: { found: Pick<PulsedLineFit, 'fit'> }): boolean {
  const [line, width] = [parameterEstimate(fit, 1).value, Math.abs(parameterEstimate(fit, 2).value)];
  return line - width < Math.min(...x) || line + width > Math.max(...x);
}

function lineFigure(
  { task, qid }: AnalysisInput,
  x: readonly number[],
  { signal, judged }: { signal: ScaledSignal; judged: JudgedFit<PulsedLineFit> },
  line: Estimate | undefined,
): Figure {
  const { found, kept, sigma } = judged;
  const pick = (values: readonly number[]) => kept.map((index) => values[index] ?? 0);
  const curve = found.fit.ok ? { name: fitName(found.fit.r2), at: found.evaluate } : null;
  const resultText = line === undefined ? 'no usable line' : `f12 = ${estimateText(line, 'GHz')}`;
  return composeFit([{ name: 'data', x: pick(x), y: pick(signal.y), sigma, curve }], {
    title: `${subjectOf({ task, qid })} · ${resultText}`,
    x: 'Frequency of the pulse (GHz)',
    y: signal.label,
  });
}
