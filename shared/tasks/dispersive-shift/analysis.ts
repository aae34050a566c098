import { USUAL_KAPPA_GHZ } from '../../science/conventions/readout.ts';
import { type ComplexMap, readComplexMap } from '../../science/datasets/complex-map.ts';
import { composeFigure, curveTrace, markerTrace, pointsTrace } from '../../science/figures/compose.ts';
import type { Figure } from '../../science/figures/model.ts';
import { rootAboveZero } from '../../science/fitting/bounded-estimate.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import { fitMixedReflections } from '../../science/fitting/mixed-reflections.ts';
import { seeReflection } from '../../science/fitting/reflection-search.ts';
import {
  fitReflection,
  type ReflectionPoint,
  type ResonatorFit,
} from '../../science/fitting/resonator-fit.ts';
import { subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { moreShots, widerSweep } from '../suggested-run.ts';

const MIN_POINTS = 20;
/** Minimum significance of a shift, in standard errors. */
const SIGNIFICANT_SHIFT = 3;
const LARGEST_ERROR = 1e-3;
/** With at least this r², no other start values are tried. */
const GOOD = 0.97;

interface Trace {
  points: ReflectionPoint[];
  phases: number[];
  found: ResonatorFit;
}

/**
 * Fits the resonator's reflection `iq_re`, `iq_im` over (`state`, `frequency`) for either prepared state. χ = (f1 − f0)
 * / 2; the contrast is largest midway between the resonances, or beside that; see {@link bestFrequency}.
 */
export function analyseDispersiveShift(input: AnalysisInput): Analysis {
  const map = readComplexMap(input.dataset, 'state', 'frequency', 'iq');
  if (typeof map === 'string') return withoutFigures(map);
  const [ground, excited] = [traceOf(map, 0), traceOf(map, 1)];
  if (typeof ground === 'string') return withoutFigures(ground);
  if (typeof excited === 'string') return withoutFigures(excited);
  const refused = refusal(map.x, ground, excited);
  const [r0, r1] = [ground.found.fit.r2, excited.found.fit.r2];
  const r2 = r0 === null || r1 === null ? null : Math.min(r0, r1);
  const usable = refused === null ? bothLines(ground, excited) : undefined;
  const figures = [phaseFigure(input, map.x, { ground, excited }, usable)];
  if (usable === undefined || refused !== null) {
    const why = refused ?? 'the reflections of both states do not determine two lines';
    const suggestion = suggestedRun(input, map.x, [ground, excited]);
    return { outputs: {}, r2, figures, refused: why, ...(suggestion && { suggestion }) };
  }
  const outputs = { optimal_readout_frequency: usable.optimum, dispersive_shift: usable.shift };
  return { outputs, r2, figures };
}

/**
 * χ, and the frequency of the largest contrast (GHz). |S₁ − S₀| is largest midway between both resonances if these are
 * closer than their width κ. Otherwise it is largest √(χ² − κ²/4) beside that, and the lower frequency is taken. Both
 * values come from one fit, which takes into account that neither state is pure.
 */
function bothLines(ground: Trace, excited: Trace): { shift: Estimate; optimum: Estimate } | undefined {
  const single = { ground: ground.found, excited: excited.found };
  const mixed = fitMixedReflections(ground.points, excited.points, single);
  if (mixed === null || !mixed.fit.ok) return undefined;
  const { parameters, covariance } = mixed.fit;
  const between = (a: number, b: number) => covariance[a]?.[b] ?? 0;
  const errorOf = (slopes: readonly (readonly [number, number])[]) =>
    Math.sqrt(
      slopes.reduce(
        (sum, [a, by]) => sum + slopes.reduce((all, [b, of]) => all + by * of * between(a, b), 0),
        0,
      ),
    );
  const [atGround = 0, atExcited = 0, external = 0, internal = 0] = parameters;
  const shift = (atExcited - atGround) / 2;
  const half = (external + internal) / 2;
  const beside = rootAboveZero({
    value: shift ** 2 - half ** 2,
    error: errorOf([
      [0, -shift],
      [1, shift],
      [2, -half],
      [3, -half],
    ]),
  });
  const middle = errorOf([
    [0, 0.5],
    [1, 0.5],
  ]);
  return {
    shift: {
      value: 1000 * shift,
      error:
        1000 *
        errorOf([
          [0, -0.5],
          [1, 0.5],
        ]),
    },
    optimum: {
      value: mixed.centre + (atGround + atExcited) / 2 - beside.value,
      error: Math.hypot(middle, beside.error),
    },
  };
}

function traceOf({ x, y, re, im }: ComplexMap, state: number): Trace | string {
  const row = y.indexOf(state);
  if (row < 0) return `the dataset lacks the signals of the state ${state}`;
  const points = x.flatMap((frequency, column): ReflectionPoint[] => {
    const [a, b] = [re[row]?.[column] ?? Number.NaN, im[row]?.[column] ?? Number.NaN];
    return Number.isFinite(a + b) ? [{ frequency, power: 0, re: a, im: b, sigma: 1 }] : [];
  });
  if (points.length < MIN_POINTS) return `${points.length} frequencies are too few to fit a resonator`;
  const phases = unwrap(points.map((point) => Math.atan2(point.im, point.re)));
  return { points, phases, found: fitTrace(points, phases) };
}

function quality(found: ResonatorFit | undefined): number {
  return found?.fit.ok ? found.fit.r2 : Number.NEGATIVE_INFINITY;
}

/** Unwraps phases: no jump exceeds half a turn. */
function unwrap(phases: readonly number[]): number[] {
  const unwrapped: number[] = [];
  for (const phase of phases) {
    const before = unwrapped.at(-1) ?? phase;
    unwrapped.push(phase - 2 * Math.PI * Math.round((phase - before) / (2 * Math.PI)));
  }
  return unwrapped;
}

/**
 * The resonator turns the phase by one turn in either sense, or by none if its losses prevail. The rest of the slope is
 * the line's delay. Returns the first fit that describes the data, or the best one if none does.
 */
function fitTrace(points: readonly ReflectionPoint[], phases: readonly number[]): ResonatorFit {
  const [first, last] = [points[0]?.frequency ?? 0, points.at(-1)?.frequency ?? 0];
  const slope = ((phases.at(-1) ?? 0) - (phases[0] ?? 0)) / (2 * Math.PI);
  let best: ResonatorFit | undefined;
  for (const turns of [-1, 1, 0]) {
    const delay = (turns - slope) / (last - first);
    const flat = points.map((_, index) => {
      const frequency = points[index]?.frequency ?? 0;
      return (phases[index] ?? 0) + 2 * Math.PI * (frequency - first) * delay;
    });
    // The resonator is at the frequency at which the phase without that of the line is halfway.
    const [from = 0, to = 0] = [flat[0], flat.at(-1)];
    const nearest = flat.reduce(
      (best, phase, index) => {
        const distance = Math.abs(phase - (from + to) / 2);
        return distance < best.distance ? { distance, index } : best;
      },
      { distance: Number.POSITIVE_INFINITY, index: 0 },
    );
    const frequency = points[nearest.index]?.frequency ?? first;
    const found = fitReflection(points, { start: { frequency, kappa: USUAL_KAPPA_GHZ, delay } });
    if (quality(found) > quality(best)) best = found;
    if (quality(best) > GOOD) break;
  }
  if (best !== undefined && leavesNoise(points, best)) return best;
  // The losses of the resonator prevail, or it is much narrower than usual, or the line turns the phase by many turns.
  const seen = seeReflection(points);
  if (seen !== undefined) {
    const { frequency, external, internal, delay } = seen;
    const found = fitReflection(points, { start: { frequency, kappa: external + internal, delay }, seen });
    if (quality(found) > quality(best)) best = found;
  }
  return best ?? fitReflection(points, { start: { frequency: first, kappa: USUAL_KAPPA_GHZ, delay: 0 } });
}

/** Maximum residuals of a good fit, relative to the scatter of the points around parabolas through their neighbours. */
const MAX_LEFT = 1.3;

/** Whether the residuals of a fit are only the scatter of the points. */
function leavesNoise(points: readonly ReflectionPoint[], { fit, evaluate }: ResonatorFit): boolean {
  if (!fit.ok || points.length < 8) return false;
  const left = points.map(({ frequency, power, re, im }) => {
    const expected = evaluate(frequency, power);
    return { re: re - expected.re, im: im - expected.im };
  });
  const squares = left.reduce((sum, { re, im }) => sum + re ** 2 + im ** 2, 0) / left.length;
  // The variance of third differences is 20 times that of independent values.
  const differences = points.slice(3).map((point, index) => {
    const [a, b, c] = points.slice(index, index + 3);
    const third = (part: 're' | 'im') =>
      point[part] - 3 * (c?.[part] ?? 0) + 3 * (b?.[part] ?? 0) - (a?.[part] ?? 0);
    return third('re') ** 2 + third('im') ** 2;
  });
  const noise = differences.reduce((sum, value) => sum + value, 0) / (20 * differences.length);
  return squares < MAX_LEFT ** 2 * noise;
}

/** A sweep that covers both resonances, or more shots if this one already does. */
function suggestedRun({ runParameters: run }: AnalysisInput, x: readonly number[], traces: readonly Trace[]) {
  const [lowest, highest] = [Math.min(...x), Math.max(...x)];
  const isInside = ({ found: { fit, frequency } }: Trace) =>
    fit.ok && frequency > lowest && frequency < highest;
  return traces.every(isInside)
    ? moreShots(run, 'the resonators are lost in noise')
    : widerSweep(run, 'detuning_range', 'a resonator is outside of the sweep');
}

/** The reason why the fits cannot be used, with numbers; null if they can. */
function refusal(frequencies: readonly number[], ground: Trace, excited: Trace): string | null {
  const [lowest, highest] = [Math.min(...frequencies), Math.max(...frequencies)];
  for (const [state, { found }] of [
    ['0', ground],
    ['1', excited],
  ] as const) {
    const { fit, frequency } = found;
    if (!fit.ok) return `state ${state}: ${fit.message}`;
    if (![...fit.parameters, ...fit.errors].every(Number.isFinite)) {
      return `state ${state}: the fit gives no finite values`;
    }
    const text = estimateText({ value: frequency, error: fit.errors[0] ?? 0 }, 'GHz');
    if (!(frequency > lowest && frequency < highest)) {
      return `the resonator of state ${state} is outside of the sweep: ${text}`;
    }
    if (!((fit.errors[0] ?? 0) < LARGEST_ERROR))
      return `the resonator of state ${state} is not resolved: ${text}`;
  }
  const shift = (excited.found.frequency - ground.found.frequency) / 2;
  const errors = [ground, excited].map(({ found }) => (found.fit.ok ? (found.fit.errors[0] ?? 0) : 0));
  const error = Math.hypot(...errors) / 2;
  if (Math.abs(shift) < SIGNIFICANT_SHIFT * error) {
    return `the states do not shift the resonator: by ${estimateText({ value: 1000 * shift, error: 1000 * error }, 'MHz')}`;
  }
  return null;
}

/** Phases of both traces without the delay of the line, so that the phase of the resonator is visible. */
function phaseFigure(
  { task, qid }: AnalysisInput,
  frequencies: readonly number[],
  { ground, excited }: { ground: Trace; excited: Trace },
  usable?: { shift: Estimate; optimum: Estimate },
): Figure {
  const delay = ground.found.fit.ok ? (ground.found.fit.parameters[5] ?? 0) : 0;
  const [first = 0] = frequencies;
  const flattened = (frequency: number, phase: number) => phase + 2 * Math.PI * (frequency - first) * delay;
  const phasesOf = ({ points, phases }: Trace) =>
    points.map(({ frequency }, index) => flattened(frequency, phases[index] ?? 0));
  const [of0, of1] = [phasesOf(ground), phasesOf(excited)];
  const turns = 2 * Math.PI * Math.round(((of1[0] ?? 0) - (of0[0] ?? 0)) / (2 * Math.PI));
  const shifted = of1.map((phase) => phase - turns);
  const x = ground.points.map(({ frequency }) => frequency);
  const data = [
    pointsTrace('prepared in 0', x, of0),
    pointsTrace(
      'prepared in 1',
      excited.points.map(({ frequency }) => frequency),
      shifted,
    ),
  ];
  if (usable !== undefined) {
    for (const [name, trace, near] of [
      ['fit of 0', ground, of0],
      ['fit of 1', excited, shifted],
    ] as const) {
      data.push(curveTrace(name, x, fittedPhase(trace, near, flattened)));
    }
    const all = [...of0, ...shifted];
    data.push(markerTrace('best', usable.optimum.value, Math.min(...all), Math.max(...all)));
  }
  const found = usable === undefined ? 'no usable fit' : `χ = ${estimateText(usable.shift, 'MHz')}`;
  return composeFigure(data, {
    title: `${subjectOf({ task, qid })} · ${found}`,
    x: 'Readout frequency (GHz)',
    y: 'Phase without the line (rad)',
  });
}

/** The fitted phase, in the same turn as the measured one. */
function fittedPhase(
  { points, found }: Trace,
  near: readonly number[],
  flattened: (frequency: number, phase: number) => number,
): (frequency: number) => number {
  return (frequency) => {
    const { re, im } = found.evaluate(frequency, 0);
    const phase = flattened(frequency, Math.atan2(im, re));
    const nearest = points.reduce(
      (best, point, index) => {
        const distance = Math.abs(point.frequency - frequency);
        return distance < best.distance ? { distance, phase: near[index] ?? 0 } : best;
      },
      { distance: Number.POSITIVE_INFINITY, phase: 0 },
    );
    return phase - 2 * Math.PI * Math.round((phase - nearest.phase) / (2 * Math.PI));
  };
}
