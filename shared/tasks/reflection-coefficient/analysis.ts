import { OTHER_KAPPAS_GHZ, USUAL_KAPPA_GHZ } from '../../science/conventions/readout.ts';
import { type ComplexSweep, readComplexSweep } from '../../science/datasets/rules.ts';
import { composeFigure, lineTrace, markerTrace, pointsTrace } from '../../science/figures/compose.ts';
import type { Figure } from '../../science/figures/model.ts';
import { composePanels } from '../../science/figures/panels.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import type { Fit } from '../../science/fitting/least-squares.ts';
import { inOrder, unwrappedPhases, wrapped } from '../../science/fitting/phases.ts';
import { fitReflection, type ResonatorFit } from '../../science/fitting/resonator-fit.ts';
import { sweepProblem } from '../../science/fitting/sweep-problem.ts';
import type { Complex } from '../../science/quantum/complex.ts';
import { fitName, subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { stepMap } from '../common/analysis/resonator-map.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { numberOf } from '../common/parameters.ts';
import type { NextPassSettings } from '../next-pass.ts';

const MIN_POINTS = 12;
/** With at least this r², no other start values are tried. */
const GOOD = 0.97;
const CURVE_POINTS = 201;

/**
 * Fits the complex reflection `iq_re`, `iq_im` over `frequency` (GHz) of one resonator, for either sign of the phase.
 */
export function analyseReflectionCoefficient(input: AnalysisInput): Analysis {
  const read = readComplexSweep(input.dataset, 'frequency', 'iq');
  if (typeof read === 'string') return withoutFigures(read);
  const unusable = sweepProblem(read);
  if (unusable !== null) return withoutFigures(unusable);
  if (read.x.length < MIN_POINTS) {
    return withoutFigures(`${read.x.length} points are too few to fit a reflection`);
  }
  const sweep = inOrder(read);
  const turned = { ...sweep, im: sweep.im.map((value) => -value) };
  const [asGiven, mirrored] = [bestFit(sweep), bestFit(turned)];
  // The sign of the phase depends on the sideband and the convention of the instrument, and the fitted model has only
  // one sign.
  const isMirrored = isBetter(sweep.x, mirrored, asGiven);
  return isMirrored ? analysisOf(input, turned, mirrored) : analysisOf(input, sweep, asGiven);
}

/** Whether a fit is usable and another one is not, or both are usable and this one is better. */
function isBetter(x: readonly number[], one: ResonatorFit, other: ResonatorFit): boolean {
  const [usable, otherUsable] = [one, other].map(({ fit, frequency }) => refusal(x, fit, frequency) === null);
  return Boolean(usable) && (!otherUsable || (one.fit.r2 ?? 0) > (other.fit.r2 ?? 0));
}

function bestFit(sweep: ComplexSweep): ResonatorFit {
  const { delay } = stepMap({ x: sweep.x, y: [0], re: [sweep.re], im: [sweep.im] });
  const points = sweep.x.map((frequency, index) => ({
    frequency,
    power: 0,
    re: sweep.re[index] ?? 0,
    im: sweep.im[index] ?? 0,
    sigma: 1,
  }));
  // The sweep is centred at the stored frequency of the resonator, which is the better start value if noise hides the
  // steepest phase.
  const middle = sweep.x[Math.floor(sweep.x.length / 2)] ?? 0;
  const quality = ({ fit }: ResonatorFit) => (fit.ok ? fit.r2 : -1);
  const fitWith = (kappa: number) =>
    [steepest(sweep, delay, kappa), middle]
      .map((frequency) => fitReflection(points, { start: { frequency, kappa, delay } }))
      .reduce((best, each) => (quality(each) > quality(best) ? each : best));
  let best = fitWith(USUAL_KAPPA_GHZ);
  for (const kappa of OTHER_KAPPAS_GHZ) {
    if (quality(best) > GOOD && refusal(sweep.x, best.fit, best.frequency) === null) break;
    const other = fitWith(kappa);
    if (quality(other) > quality(best)) best = other;
  }
  return best;
}

function analysisOf(input: AnalysisInput, sweep: ComplexSweep, best: ResonatorFit): Analysis {
  const { fit, frequency } = best;
  const refused = refusal(sweep.x, fit, frequency);
  const [, external = 0, internal = 0] = fit.ok ? fit.parameters : [];
  const [error = 0, externalError = 0, internalError = 0] = fit.ok ? fit.errors : [];
  const outputs = {
    resonator_frequency: { value: frequency, error },
    kappa_external: { value: 1000 * external, error: 1000 * externalError },
    kappa_internal: { value: 1000 * internal, error: 1000 * internalError },
  };
  const figures = figuresOf(input, planeOf(sweep, fit, frequency), refused === null ? outputs : undefined);
  if (refused !== null) {
    const again = betterRun(sweep.x, best, numberOf(input.runParameters.shots));
    return { outputs: {}, r2: fit.r2, figures, refused, again };
  }
  return { outputs, r2: fit.r2, figures };
}

/** Sweep of the next pass: points in a line width, line widths in the sweep, and maximum number of points. */
const POINTS_OF_WIDTH = 8;
const WIDTHS_OF_SWEEP = 16;
const MAX_POINTS = 1000;
/** Factors on the width of the next sweep and on its number of shots, with their limits (GHz and shots). */
const WIDER = 3;
const WIDEST_GHZ = 1;
const MORE_SHOTS = 8;
const MAX_SHOTS = 100_000;

/** A sweep that would resolve a resonator that this one did not: finer, wider, or with more shots. */
function betterRun(
  x: readonly number[],
  { fit, frequency }: ResonatorFit,
  shots = MAX_SHOTS,
): NextPassSettings {
  const [from, to] = [x[0] ?? 0, x.at(-1) ?? 0];
  const step = (to - from) / (x.length - 1);
  const [, external = 0, internal = 0] = fit.ok ? fit.parameters : [];
  const width = external + internal;
  const isInside = fit.ok && frequency > from && frequency < to;
  const inMHz = (value: number) => `${(1000 * value).toPrecision(2)} MHz`;
  const sweep = (wanted: number, points: number) => {
    const span = Math.min(WIDEST_GHZ, wanted);
    const spacing = span / Math.min(MAX_POINTS, points);
    return {
      frequency_width: { value: span, value_type: 'float' },
      frequency_step: { value: spacing, value_type: 'float' },
    };
  };
  if (isInside && width > 0 && width < POINTS_OF_WIDTH * step) {
    // The sweep stays centred at the stored frequency.
    const span = 2 * Math.abs(frequency - (from + to) / 2) + WIDTHS_OF_SWEEP * width;
    return {
      run: sweep(Math.min(span, to - from), Math.ceil((span / width) * POINTS_OF_WIDTH)),
      reason: `a width of ${inMHz(width)} is covered by few points, ${inMHz(step)} apart`,
    };
  }
  const isCut = fit.ok && fit.r2 > GOOD && !(width > 0);
  if (fit.ok && (!isInside || isCut || width > to - from)) {
    return {
      run: sweep(WIDER * (to - from), x.length),
      reason: `the resonator reaches beyond the sweep of ${inMHz(to - from)}`,
    };
  }
  const more = Math.min(MAX_SHOTS, MORE_SHOTS * shots);
  return { run: { shots: { value: more, value_type: 'int' } }, reason: 'the resonator is lost in noise' };
}

/** The reflection of the resonator alone: the fitted line is removed from data and curve. */
interface Plane {
  frequencies: readonly number[];
  points: Complex[];
  /** Reflection and frequency along the fitted circle; null without a fit. */
  circle: (Complex & { frequency: number })[] | null;
  r2: number | null;
}

function planeOf(sweep: ComplexSweep, fit: Fit, frequency: number): Plane {
  if (!fit.ok) {
    const points = sweep.re.map((re, index) => ({ re, im: sweep.im[index] ?? 0 }));
    return { frequencies: sweep.x, points, circle: null, r2: fit.r2 };
  }
  const [offset = 0, external = 0, internal = 0, cRe = 1, cIm = 0, delay = 0] = fit.parameters;
  const size = cRe ** 2 + cIm ** 2;
  const points = sweep.x.map((each, index) => {
    const [re = 0, im = 0] = [sweep.re[index], sweep.im[index]];
    // In the fit, the phase of the delay is relative to the start frequency, not to the fitted one.
    const angle = 2 * Math.PI * (each - frequency + offset) * delay;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const [turnedRe, turnedIm] = [re * cos - im * sin, re * sin + im * cos];
    return { re: (turnedRe * cRe + turnedIm * cIm) / size, im: (turnedIm * cRe - turnedRe * cIm) / size };
  });
  const kappa = external + internal;
  const [from, to] = [sweep.x[0] ?? 0, sweep.x.at(-1) ?? 0];
  // Points at even distances along the circle: 2 (f − f_r) / κ is the tangent of half the angle.
  const circle = Array.from({ length: CURVE_POINTS }, (_, index) => {
    const half = (index / (CURVE_POINTS - 1) - 0.5) * Math.PI * 0.98;
    const share = (2 * external) / kappa;
    return {
      frequency: frequency + (kappa / 2) * Math.tan(half),
      re: 1 - share * Math.cos(half) ** 2,
      im: share * Math.cos(half) * Math.sin(half),
    };
  }).filter((each) => each.frequency >= from && each.frequency <= to);
  return { frequencies: sweep.x, points, circle, r2: fit.r2 };
}

/** A quantity to draw over the frequency: from the data, and from the fit along its circle. */
interface Curve {
  values: number[];
  curve: number[] | null;
}

function sizesOf(points: readonly Complex[], circle: Plane['circle']): Curve {
  const size = ({ re, im }: Complex) => Math.hypot(re, im);
  return { values: points.map(size), curve: circle?.map(size) ?? null };
}

/**
 * Unwrapped phases, because the phase passes half a turn at the resonance. Those of the data are in the same turn as
 * the fit.
 */
function phasesOf(
  frequencies: readonly number[],
  points: readonly Complex[],
  circle: Plane['circle'],
): Curve {
  const measured = points.map(({ re, im }) => Math.atan2(im, re));
  if (circle === null || circle.length === 0) return { values: measured, curve: null };
  const curve = unwrappedPhases({ re: circle.map(({ re }) => re), im: circle.map(({ im }) => im) });
  const values = measured.map((phase, index) => {
    const frequency = frequencies[index] ?? 0;
    const above = circle.findIndex((each) => each.frequency >= frequency);
    const near = curve[above < 0 ? curve.length - 1 : above] ?? phase;
    return near + wrapped(phase - near);
  });
  return { values, curve };
}

/** Amplitude and phase over the frequency with the result, and the circle in the complex plane. */
function figuresOf(
  input: AnalysisInput,
  { frequencies, points, circle, r2 }: Plane,
  found: Record<'resonator_frequency' | 'kappa_external' | 'kappa_internal', Estimate> | undefined,
): Figure[] {
  const resultText =
    found === undefined ? 'no usable fit' : `f = ${estimateText(found.resonator_frequency, 'GHz')}`;
  const widths =
    found === undefined
      ? ''
      : `, κ_ext = ${estimateText(found.kappa_external, 'MHz')}, κ_int = ${estimateText(found.kappa_internal, 'MHz')}`;
  const name = circle === null || r2 === null ? '' : fitName(r2);
  const wide = widths === '' ? name : `fit${widths}`;
  const panel = (y: string, { values, curve }: Curve) => {
    const line =
      circle === null || curve === null
        ? []
        : [
            lineTrace(
              wide,
              circle.map((each) => each.frequency),
              curve,
            ),
          ];
    const mark =
      found === undefined
        ? []
        : [
            markerTrace(
              'resonator',
              found.resonator_frequency.value,
              Math.min(...values),
              Math.max(...values),
            ),
          ];
    return {
      data: [pointsTrace('data', frequencies, values), ...line, ...mark],
      x: 'Readout frequency (GHz)',
      y,
    };
  };
  const plane = [
    pointsTrace(
      'data',
      points.map(({ re }) => re),
      points.map(({ im }) => im),
    ),
    ...(circle === null
      ? []
      : [
          lineTrace(
            name,
            circle.map(({ re }) => re),
            circle.map(({ im }) => im),
          ),
        ]),
  ];
  return [
    composePanels(
      [
        panel('|S11|', sizesOf(points, circle)),
        panel('Phase of S11 (rad)', phasesOf(frequencies, points, circle)),
      ],
      { title: `${subjectOf(input)} · ${resultText}`, columns: 1, legend: true },
    ),
    composeFigure(plane, {
      title: `${subjectOf(input)} · ${resultText}`,
      x: 'Re S11 (a.u.)',
      y: 'Im S11 (a.u.)',
      equalAspect: true,
    }),
  ];
}

/** The frequency at which the phase changes fastest over a line width, apart from the line's delay. */
function steepest(sweep: ComplexSweep, delay: number, kappa: number): number {
  const phases = unwrappedPhases(sweep).map(
    (phase, index) => phase + 2 * Math.PI * delay * (sweep.x[index] ?? 0),
  );
  const spacing = ((sweep.x.at(-1) ?? 0) - (sweep.x[0] ?? 0)) / (sweep.x.length - 1);
  const reach = Math.max(1, Math.round(kappa / spacing / 2));
  const runs = phases.map((_, index) => {
    const [from, to] = [phases[index - reach], phases[index + reach]];
    return from === undefined || to === undefined ? 0 : Math.abs(to - from);
  });
  return sweep.x[runs.indexOf(Math.max(...runs))] ?? 0;
}

/** The reason why the fit cannot be used, with numbers; null if it can. */
function refusal(x: readonly number[], fit: Fit, frequency: number): string | null {
  if (!fit.ok) return fit.message;
  const [, external = 0, internal = 0] = fit.parameters;
  const [error = 0, externalError = 0] = fit.errors;
  const [from, to] = [Math.min(...x), Math.max(...x)];
  if (!(frequency > from && frequency < to)) {
    return `the resonator is outside of the sweep: ${estimateText({ value: frequency, error }, 'GHz')}`;
  }
  const width = external + internal;
  if (!(external > 5 * externalError) || !(width > 0) || width > to - from) {
    return `no resonator is resolved: its width would be ${estimateText({ value: 1000 * width, error: 1000 * externalError }, 'MHz')}`;
  }
  return null;
}
