import type { ComplexSweep } from '../../science/datasets/rules.ts';
import { composeFigure, lineTrace, markerTrace, pointsTrace } from '../../science/figures/compose.ts';
import type { Figure } from '../../science/figures/model.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import { findPeaks, smooth } from '../../science/fitting/peaks.ts';
import { unwrappedPhases } from '../../science/fitting/phases.ts';
import { fitReflection, type ResonatorFit } from '../../science/fitting/resonator-fit.ts';
import { subjectOf } from '../common/analysis/figure-text.ts';
import { finerSweep, mayHideLine } from '../common/analysis/finer-sweep.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { assignmentOf, ownLine } from '../common/analysis/resonator-assignment.ts';
import {
  coarseMap,
  FIT_REACH_GHZ,
  likelyKappas,
  type StepMap,
  spurColumns,
  stepMap,
  USUAL_SPACING_GHZ,
} from '../common/analysis/resonator-map.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { readFrequencySweep } from '../common/analysis/spectroscopy.ts';
import { numberOf } from '../common/parameters.ts';

const LARGEST_ERROR = 2e-3;
/** Minimum significance of a resonator's loss, in standard errors. */
const CERTAIN = 3;

interface Found {
  fit: ResonatorFit;
  estimate: Estimate;
}

/**
 * Finds the resonators of a line as peaks of the |phase step| over `frequency`, and fits that of this qubit. The
 * assignment requires their design, their earlier frequencies, or all four of them.
 */
export function analyseResonatorFrequencies(input: AnalysisInput): Analysis {
  const sweep = readFrequencySweep(input.dataset);
  if (typeof sweep === 'string') return withoutFigures(sweep);
  const map = coarseMap({ x: sweep.x, y: [0], re: [sweep.re], im: [sweep.im] });
  const steps = map.steps[0] ?? [];
  const peaks = findPeaks(smooth(steps, 1), { distance: 10, prominence: 0.35, atMost: 8 });
  const seen = peaks.map(({ index }) => map.frequencies[index] ?? 0);
  const found = findOwn(input, sweep, map, seen);
  const estimate = 'refused' in found ? undefined : found.estimate;
  const figures = draw(input, sweep, map, { seen, estimate });
  if ('refused' in found) return { outputs: {}, r2: null, figures, ...found };
  return { outputs: { coarse_resonator_frequency: found.estimate }, r2: found.fit.fit.r2, figures };
}

function findOwn(
  input: AnalysisInput,
  sweep: ComplexSweep,
  map: StepMap,
  seen: readonly number[],
): Found | (Pick<Analysis, 'again'> & { refused: string }) {
  const assignment = assignmentOf(input);
  if (typeof assignment === 'string') return { refused: assignment };
  const lines = {
    at: seen,
    earlier: numberOf(input.inputs.coarse_resonator_frequency),
    reach: FIT_REACH_GHZ,
  };
  const own = ownLine(input.qid, lines, assignment);
  if (typeof own === 'string') {
    const mayBeThere = seen.length < assignment.resonators && mayHideLine(map, 0, seen);
    const again = mayBeThere ? finerSweep(input, sweep.x, USUAL_SPACING_GHZ / 2) : undefined;
    return { refused: own, ...(again && { again }) };
  }
  const at = seen[own] ?? Number.NaN;
  const spurs = spurColumns(sweep.x).filter((_, index) => index % 2 === 1);
  const points = sweep.x.flatMap((frequency, index) =>
    Math.abs(frequency - at) > FIT_REACH_GHZ || spurs.includes(index)
      ? []
      : [{ frequency, power: 0, re: sweep.re[index] ?? 0, im: sweep.im[index] ?? 0, sigma: 1 }],
  );
  let refused: string | undefined;
  for (const kappa of likelyKappas(map, 0, map.frequencies.indexOf(at))) {
    const start = { frequency: steepestFrom(sweep, map, at), kappa, delay: map.delay };
    const fitted = judgeFit(fitReflection(points, { start }), at);
    if (typeof fitted !== 'string') return fitted;
    refused ??= fitted;
  }
  const again = finerSweep(input, sweep.x);
  return { refused: refused ?? 'there is nothing to fit', ...(again && { again }) };
}

/**
 * The frequency at which the phase changes fastest between a column of the map and the next one. A finer sweep has
 * points in between.
 */
function steepestFrom(sweep: ComplexSweep, { frequencies }: StepMap, at: number): number {
  if (frequencies.length === sweep.x.length) return at;
  const column = frequencies.indexOf(at);
  const [from = at, to = at] = [frequencies[column - 1], frequencies[column + 1]];
  const {
    steps: [steps = []],
  } = stepMap({ x: sweep.x, y: [0], re: [sweep.re], im: [sweep.im] });
  let best = { frequency: at, step: 0 };
  for (const [index, frequency] of sweep.x.entries()) {
    const step = steps[index] ?? 0;
    if (frequency < from || frequency > to || step <= best.step) continue;
    best = { frequency: (frequency + (sweep.x[index + 1] ?? frequency)) / 2, step };
  }
  return best.frequency;
}

/** A usable fit; a message if the fit cannot be used. */
function judgeFit(fit: ResonatorFit, at: number): Found | string {
  if (!fit.fit.ok) return `the reflection at ${at.toFixed(3)} GHz cannot be fitted: ${fit.fit.message}`;
  const estimate = { value: fit.frequency, error: fit.fit.errors[0] ?? Number.NaN };
  if (!(estimate.error < LARGEST_ERROR) || Math.abs(estimate.value - at) > FIT_REACH_GHZ) {
    return `the resonator seen at ${at.toFixed(3)} GHz is not resolved: the fit gives ${estimateText(estimate, 'GHz')}`;
  }
  const [, external = 0] = fit.fit.parameters;
  const externalError = fit.fit.errors[1] ?? Number.NaN;
  // A fit always finds a narrow line somewhere in noise, but its loss is not significant.
  if (!(external > CERTAIN * externalError)) {
    return `no resonator is resolved at ${at.toFixed(3)} GHz: it would leak ${estimateText({ value: 1000 * external, error: 1000 * externalError }, 'MHz')}`;
  }
  return { fit, estimate };
}

function draw(
  { task, qid }: AnalysisInput,
  sweep: ComplexSweep,
  { frequencies, steps: [steps = []], delay }: StepMap,
  { seen, estimate }: { seen: readonly number[]; estimate: Estimate | undefined },
): Figure[] {
  const [first = 0] = sweep.x;
  const phases = unwrappedPhases(sweep).map(
    (phase, index) => phase + 2 * Math.PI * delay * ((sweep.x[index] ?? first) - first),
  );
  const resultText = estimate === undefined ? 'no usable resonator' : `f = ${estimateText(estimate, 'GHz')}`;
  const title = `${subjectOf({ task, qid })} · ${resultText}`;
  const x = 'Readout frequency (GHz)';
  const own = (values: readonly number[]) =>
    estimate === undefined
      ? []
      : [markerTrace(`of qubit ${qid}`, estimate.value, Math.min(...values), Math.max(...values))];
  const at = (of: readonly number[], values: readonly number[]) =>
    pointsTrace(
      'resonators',
      seen,
      seen.map((frequency) => values[of.indexOf(frequency)] ?? 0),
    );
  return [
    composeFigure([lineTrace('data', sweep.x, phases), at(sweep.x, phases), ...own(phases)], {
      title,
      x,
      y: 'Phase without that of the delay (rad)',
    }),
    composeFigure([lineTrace('data', frequencies, steps), at(frequencies, steps), ...own(steps)], {
      title,
      x,
      y: '|Phase step| (rad)',
    }),
  ];
}
