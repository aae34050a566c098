import type { ComplexMap } from '../../science/datasets/complex-map.ts';
import {
  composeFigure,
  divergingTrace,
  heatmapTrace,
  markLineTrace,
  markTrace,
} from '../../science/figures/compose.ts';
import type { Figure } from '../../science/figures/model.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import type { SuccessfulFit } from '../../science/fitting/least-squares.ts';
import { fitPunchOut, type PunchOutFit } from '../../science/fitting/punch-out.ts';
import { judgeResiduals } from '../../science/fitting/residuals.ts';
import type { ReflectionPoint } from '../../science/fitting/resonator-fit.ts';
import { LARGEST_NUMBER } from '../../science/fitting/sweep-problem.ts';
import { subjectOf } from '../common/analysis/figure-text.ts';
import { parameterEstimate } from '../common/analysis/judged-fit.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { stepMap } from '../common/analysis/resonator-map.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { MIN_FREQUENCIES, MIN_POWERS, readPowerMap } from '../common/analysis/spectroscopy.ts';

/**
 * Deviation of a reflection (relative to one) that neighbouring resonators and the line may cause at any power.
 * Residuals of this size in addition to the amplifier's noise are not a misfit. The weights and errors of the fit
 * follow from the actual scatter of its points.
 */
const RIPPLE = 0.003;
/** Fraction of the powers, from the lowest, that determine the noise. */
const QUIET_SHARE = 1 / 3;
/** Maximum errors: of the pull, as a fraction of it, and of the power, dB. */
const LARGEST_PULL_ERROR = 0.2;
const LARGEST_POWER_ERROR = 1;

interface Found {
  bare_resonator_frequency: Estimate;
  resonator_pull: Estimate;
  punch_out_power: Estimate;
}

/**
 * Fits the complex reflection `iq_re`, `iq_im` over `power` and `frequency` by a resonator whose photons reduce the
 * shift by its qubit.
 */
export function analysePunchOut(input: AnalysisInput): Analysis {
  const map = readPowerMap(input.dataset);
  if (typeof map === 'string') return withoutFigures(map);
  const points = pointsOf(map);
  if (points.length < MIN_POWERS * MIN_FREQUENCIES) {
    return withoutFigures(`${points.length} measured points are too few`);
  }
  if (
    points.some(({ re, im, frequency }) => Math.max(Math.abs(re), Math.abs(im), frequency) > LARGEST_NUMBER)
  ) {
    return withoutFigures('its numbers are larger than anything that is measured');
  }
  const { delay } = stepMap(map);
  const fitted = fitPunchOut(points, delay);
  const { fit } = fitted;
  const residuals = residualsOf(points, fitted);
  const ofKept = fitted.kept.flatMap((index) => {
    const residual = residuals[index];
    return residual === undefined ? [] : [residual.re, residual.im];
  });
  const judgement = judgeResiduals(ofKept, { parameters: 8, estimatedShare: 0.1 });
  const found = fit.ok ? estimatesOf(fitted, wideningOf(fit)) : undefined;
  const refused = !fit.ok ? unfitted(map, fit.message) : (refusalOf(map, fitted, found) ?? judgement.problem);
  const usable = refused === null ? found : undefined;
  const figures = [
    mapFigure(input, map, fitted, usable),
    residualFigure(input, map, points, { fitted, residuals }),
  ];
  if (usable === undefined) return { outputs: {}, r2: fit.r2, figures, refused: refused ?? 'no usable fit' };
  return { outputs: { ...usable }, r2: fit.r2, figures };
}

/** The measured points row by row. A weaker tone has more noise relative to it. */
function pointsOf({ x, y, re, im }: ComplexMap): ReflectionPoint[] {
  const noise = noiseAtFullPower({ x, y, re, im });
  return y.flatMap((power, row) => {
    const sigma = Math.hypot(noise * 10 ** (-power / 20), RIPPLE);
    return x.flatMap((frequency, column) => {
      const [a = Number.NaN, b = Number.NaN] = [re[row]?.[column], im[row]?.[column]];
      return Number.isFinite(a + b) ? [{ frequency, power, re: a, im: b, sigma }] : [];
    });
  });
}

/** Noise at 0 dB, from the second differences of the signals at low powers. */
function noiseAtFullPower({ y, re, im }: ComplexMap): number {
  const sizes = y.slice(0, Math.max(1, Math.floor(QUIET_SHARE * y.length))).flatMap((power, row) =>
    [re[row] ?? [], im[row] ?? []].flatMap((values) =>
      values.slice(2).flatMap((third, column) => {
        const [first = Number.NaN, second = Number.NaN] = values.slice(column, column + 2);
        const size = Math.abs(first - 2 * second + third) * 10 ** (power / 20);
        return Number.isFinite(size) ? [size] : [];
      }),
    ),
  );
  const sorted = sizes.sort((a, b) => a - b);
  // The second differences of white noise are √6 times as wide, and half of them are within 0.6745 deviations.
  return (sorted[Math.floor(sorted.length / 2)] ?? 0) / (0.6745 * Math.sqrt(6));
}

interface Residual {
  re: number;
  im: number;
}

function residualsOf(points: readonly ReflectionPoint[], { evaluate }: PunchOutFit): Residual[] {
  return points.map(({ frequency, power, re, im, sigma }) => {
    const model = evaluate(frequency, power);
    return { re: (re - model.re) / sigma, im: (im - model.im) / sigma };
  });
}

/**
 * Factor on the errors, because distortions of the line, such as neighbouring resonators that also shift, make the
 * residuals of neighbouring points correlated. Both quadratures of a point follow each other.
 */
function wideningOf({ whitened: { residuals }, parameters }: SuccessfulFit): number {
  const widenings = [0, 1].map((quadrature) => {
    const ofOne = residuals.filter((_, index) => index % 2 === quadrature);
    return judgeResiduals(ofOne, { parameters: parameters.length / 2, estimatedShare: 1 }).widening;
  });
  return Math.max(...widenings);
}

function estimatesOf({ fit, centre }: PunchOutFit, widening: number): Found | undefined {
  if (!fit.ok) return undefined;
  const { covariance } = fit;
  const [dressed, pull, critical] = [0, 1, 4].map((index) => parameterEstimate(fit, index));
  if (dressed === undefined || pull === undefined || critical === undefined) return undefined;
  const variance = dressed.error ** 2 + pull.error ** 2 - 2 * (covariance[0]?.[1] ?? 0);
  return {
    bare_resonator_frequency: {
      value: centre + dressed.value - pull.value,
      error: widening * Math.sqrt(variance),
    },
    resonator_pull: { value: 1000 * pull.value, error: 1000 * widening * pull.error },
    punch_out_power: { value: critical.value, error: widening * critical.error },
  };
}

function unfitted({ y }: ComplexMap, message: string): string {
  return `powers from ${y[0]} to ${y.at(-1)} dB do not show a resonator that reaches its bare frequency: ${message}`;
}

/** The reason why the fit cannot be used, with numbers; null if it can. */
function refusalOf(
  { x, y }: ComplexMap,
  { fit, centre }: PunchOutFit,
  found: Found | undefined,
): string | null {
  if (!fit.ok || found === undefined) return 'no usable fit';
  const { bare_resonator_frequency: bare, resonator_pull: pull, punch_out_power: critical } = found;
  const dressed = centre + (fit.parameters[0] ?? Number.NaN);
  const [from = 0, to = 0] = [x[0], x.at(-1)];
  const [external = 0, internal = 0] = fit.parameters.slice(2);
  const width = external + internal;
  if (!(external > 5 * (fit.errors[2] ?? Number.NaN)) || !(width > 0) || width > to - from) {
    return `no resonator is resolved: its width would be ${estimateText({ value: 1000 * width, error: 1000 * (fit.errors[2] ?? 0) }, 'MHz')}`;
  }
  for (const [name, value] of [
    ['without photons', dressed],
    ['without its qubit', bare.value],
  ] as const) {
    if (!(value > from && value < to)) {
      return `the resonator ${name} would be at ${value.toFixed(4)} GHz, outside of the sweep from ${from.toFixed(4)} to ${to.toFixed(4)} GHz`;
    }
  }
  const [weakest = 0, strongest = 0] = [y[0], y.at(-1)];
  if (!(critical.value > weakest && critical.value < strongest)) {
    return `the resonator would reach its bare frequency at ${estimateText(critical, 'dB')}, outside of the powers from ${weakest} to ${strongest} dB`;
  }
  if (!(pull.error < LARGEST_PULL_ERROR * Math.abs(pull.value) && critical.error < LARGEST_POWER_ERROR)) {
    return `the shift of the resonator is not resolved: ${estimateText(pull, 'MHz')} at ${estimateText(critical, 'dB')}`;
  }
  return null;
}

function mapFigure(
  input: AnalysisInput,
  map: ComplexMap,
  { resonance }: PunchOutFit,
  found: Found | undefined,
): Figure {
  const { steps } = stepMap(map);
  const [from = 0, to = 0] = [map.y[0], map.y.at(-1)];
  const marks =
    found === undefined
      ? []
      : [
          markTrace('resonator on resonance', { x: map.y.map(resonance), y: map.y }),
          markLineTrace(
            'punch-out power',
            [map.x[0] ?? 0, map.x.at(-1) ?? 0],
            [found.punch_out_power.value, found.punch_out_power.value],
          ),
          markLineTrace(
            'bare resonator',
            [found.bare_resonator_frequency.value, found.bare_resonator_frequency.value],
            [from, to],
          ),
        ];
  const resultText =
    found === undefined
      ? 'no usable fit'
      : `bare ${estimateText(found.bare_resonator_frequency, 'GHz')}, pull ${estimateText(found.resonator_pull, 'MHz')}`;
  return composeFigure([heatmapTrace('|phase step| (rad)', map.x, map.y, steps), ...marks], {
    title: `${subjectOf(input)} · ${resultText}`,
    x: 'Readout frequency (GHz)',
    y: 'Readout power (dB)',
    role: 'marked',
  });
}

/** The in-phase residuals are shown. Those of the other quadrature contain the same information. */
function residualFigure(
  input: AnalysisInput,
  { x, y }: ComplexMap,
  points: readonly ReflectionPoint[],
  { fitted, residuals }: { fitted: PunchOutFit; residuals: readonly Residual[] },
): Figure {
  const rows = y.map(() => x.map((): number | null => null));
  const [columnOf, rowOf] = [x, y].map((values) => new Map(values.map((value, place) => [value, place])));
  for (const index of fitted.kept) {
    const [point, residual] = [points[index], residuals[index]];
    const row = rows[rowOf?.get(point?.power ?? Number.NaN) ?? -1];
    const column = columnOf?.get(point?.frequency ?? Number.NaN);
    if (row !== undefined && column !== undefined && residual !== undefined) row[column] = residual.re;
  }
  return composeFigure([divergingTrace('residual (σ)', x, y, rows)], {
    title: `${subjectOf(input)} · residuals of the fit`,
    x: 'Readout frequency (GHz)',
    y: 'Readout power (dB)',
  });
}
