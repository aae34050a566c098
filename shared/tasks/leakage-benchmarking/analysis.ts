import type { Dataset } from '../../science/datasets/model.ts';
import { datasetProblem } from '../../science/datasets/rules.ts';
import { composeFit } from '../../science/figures/fit-figure.ts';
import type { Figure } from '../../science/figures/model.ts';
import { type Estimate, rateText } from '../../science/fitting/estimate.ts';
import { deviationsFor } from '../../science/fitting/false-alarms.ts';
import { changeOfInstrument } from '../../science/fitting/instrument-drift.ts';
import { fitLeakage, type LeakageFit } from '../../science/fitting/leakage-curve.ts';
import { coefficientOfDetermination, type Fit } from '../../science/fitting/least-squares.ts';
import { pointsOf, rowsOf } from '../../science/fitting/population-scale.ts';
import { judgeResiduals } from '../../science/fitting/residuals.ts';
import { mean, standardDeviation } from '../../science/fitting/statistics.ts';
import { fitName, subjectOf } from '../common/analysis/figure-text.ts';
import { parameterEstimate } from '../common/analysis/judged-fit.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { fitSurvivals, type SurvivalCurve, survivalCurve } from '../common/analysis/survival-curve.ts';
import { numberOf } from '../common/parameters.ts';
import { MAX_PASSES } from '../next-pass.ts';
import { moreShots } from '../suggested-run.ts';

interface Point {
  re: number;
  im: number;
}

/** Converts signals to populations of the first and second excited state. */
interface LevelScale {
  populations(point: Point): { excited: number; second: number };
  /** Standard error of the second excited state's population caused by the error of one state's position. */
  placeError: number;
  /** Standard error of the middle between the two states of the qubit, in units of population. */
  middleError: number;
}

const STATES = [0, 1, 2];
const MIN_REPETITIONS = 3;
/**
 * Minimum distance of the third state from the axis of the others, in standard errors. Below it, the states are
 * indistinguishable.
 */
const SMALLEST_DISTANCE = 10;
/** Number of pulses without leakage for each false report of leakage, over both rates and all passes together. */
const PULSES_TO_FALSE_ALARM = 100;
const RATES = 2;
/**
 * Minimum significance of a reported rate, in standard errors. Noise alone exceeds it with that probability, in one
 * direction.
 */
const RESOLVED = deviationsFor(2 / PULSES_TO_FALSE_ALARM / (RATES * MAX_PASSES));
/** Sequences with a smaller deviation are a repeated value. */
const MIN_DEVIATION = 1e-9;
/** Factor on the shots, which halves the errors, and their maximum; more would take hours. */
const MORE = 4;
const MAX_SHOTS = 100_000;

/**
 * Determines the population of the second excited state over the number of Cliffords from the positions of all three
 * states, and fits its filling: with each Clifford, L leaks from the qubit and S returns.
 */
export function analyseLeakageBenchmarking(input: AnalysisInput): Analysis {
  const { dataset, inputs } = input;
  const scale = datasetProblem(dataset) ?? levelScale(dataset, numberOf(inputs.thermal_population) ?? 0);
  if (typeof scale === 'string') return withoutFigures(scale);
  const curves = readCurves(dataset, scale);
  if (typeof curves === 'string') return withoutFigures(curves);
  const { leaked, excited, inside } = curves;
  const errors = pooledErrors(leaked);
  const found = fitLeakage(
    { counts: leaked.counts, leaked: leaked.means, errors, excited: excited.means },
    scale.placeError,
  );
  const shown = leaked.means.map((value, place) => value - (found.offsets[place] ?? 0));
  const r2 = found.fit.ok
    ? coefficientOfDetermination(shown, leaked.counts.map(found.evaluate))
    : found.fit.r2;
  const rates = ratesOf(found);
  const unresolved = unresolvedRate(found.fit, rates);
  const refused = unresolved ?? misfit(found, leaked.counts) ?? problemInside(inside, scale);
  const figures = [
    leakageFigure(
      input,
      { counts: leaked.counts, errors },
      { found, shown, r2, rates: refused === null ? rates : null },
    ),
  ];
  if (refused !== null) {
    const again =
      unresolved === null
        ? undefined
        : moreShots(input.runParameters, unresolved, { factor: MORE, most: MAX_SHOTS });
    return { outputs: {}, r2, figures, refused, ...(again && { again }) };
  }
  return { outputs: { leakage_rate: rates.leakage, seepage_rate: rates.seepage }, r2, figures };
}

function ratesOf({ fit }: LeakageFit): Record<'leakage' | 'seepage', Estimate> {
  const leakage = parameterEstimate(fit, 0);
  const total = parameterEstimate(fit, 1);
  const covariance = fit.ok ? (fit.covariance[0]?.[1] ?? Number.NaN) : Number.NaN;
  const variance = leakage.error ** 2 + total.error ** 2 - 2 * covariance;
  return { leakage, seepage: { value: total.value - leakage.value, error: Math.sqrt(variance) } };
}

/** A message about a rate that the data do not determine, with numbers; null if they determine both. */
function unresolvedRate(fit: Fit, rates: Record<'leakage' | 'seepage', Estimate>): string | null {
  if (!fit.ok) return fit.message;
  for (const [name, rate] of Object.entries(rates)) {
    if (!(rate.value > RESOLVED * rate.error)) {
      return `the ${name} is not resolved: it would be ${rateText(rate)} per Clifford; measure with more shots`;
    }
  }
  return null;
}

function misfit({ fit, evaluate, offsets, residuals }: LeakageFit, counts: readonly number[]): string | null {
  const fitted = counts.map((count, place) => evaluate(count) + (offsets[place] ?? 0));
  return (
    judgeResiduals(residuals, { parameters: 2, estimatedShare: POOLED_SHARE }).problem ??
    changeOfInstrument(fit, fitted)
  );
}

/**
 * The reason not to trust the instrument, from the population that stayed in the qubit. It decays to the middle of both
 * states as in any benchmark, and a change of offset or gain affects it much more than leakage does.
 */
function problemInside(inside: SurvivalCurve, scale: LevelScale): string | null {
  const { each, problem } = fitSurvivals([inside], scale);
  return problem ?? each[0]?.change ?? null;
}

/**
 * Share of the noise that counts as estimated. It is small, because a deviation common to all lengths is estimated from
 * more points than there are lengths.
 */
const POOLED_SHARE = 1 / 3;

/** Number of rounds in which variances and their weights converge. */
const ROUNDS = 5;

/**
 * Standard errors of the means from a common noise model of all lengths. The noise of the readout is the same at all
 * lengths, and the scatter by interference of pulses is proportional to the leaked population, so the variance at the
 * mean m is a + b m². The error of a variance is proportional to it, which determines its weight.
 */
function pooledErrors({ deviations, means, sequences }: SurvivalCurve): number[] {
  const squares = deviations.map((deviation) => deviation ** 2);
  let variances = squares.map(() => mean(squares));
  for (let round = 0; round < ROUNDS; round++) {
    const weights = variances.map((variance) => 1 / variance ** 2);
    const sum = (of: (index: number) => number) =>
      weights.reduce((total, weight, index) => total + weight * of(index), 0);
    const leaked = (index: number) => (means[index] ?? 0) ** 2;
    const seen = (index: number) => squares[index] ?? 0;
    const [one, x, xx] = [sum(() => 1), sum(leaked), sum((index) => leaked(index) ** 2)];
    const [y, xy] = [sum(seen), sum((index) => leaked(index) * seen(index))];
    const determinant = one * xx - x ** 2;
    const growing = Math.max(0, (one * xy - x * y) / determinant || 0);
    const level = (y - growing * x) / one;
    // The noise of the readout is at least that of the length with the least noise.
    const least = Math.min(...squares);
    variances = squares.map((_, index) => Math.max(least, level) + growing * leaked(index));
  }
  return variances.map((variance) => Math.sqrt(variance / Math.max(1, sequences)));
}

function readCurves(
  dataset: Dataset,
  scale: LevelScale,
): Record<'leaked' | 'excited' | 'inside', SurvivalCurve> | string {
  const [re, im] = ['iq_re', 'iq_im'].map((name) => rowsOf(dataset, name, ['clifford_count', 'trial']));
  const counts = dataset.coordinates.clifford_count?.values;
  if (re === undefined || im === undefined || counts === undefined) {
    return 'the dataset has no iq_re and iq_im over clifford_count and trial';
  }
  const rows = counts.map((count, row) => ({
    count,
    populations: pointsOf(re[row] ?? [], im[row] ?? []).map(scale.populations),
  }));
  const curve = (part: 'second' | 'excited') =>
    survivalCurve(
      rows.map(({ count, populations }) => ({ count, survivals: populations.map((each) => each[part]) })),
    );
  const leaked = curve('second');
  if (leaked.deviations.some((deviation) => deviation < MIN_DEVIATION)) {
    return 'all sequences of a length gave the very same signal: the instrument repeats itself';
  }
  const inside = survivalCurve(
    rows.map(({ count, populations }) => {
      const stayed = 1 - mean(populations.map(({ second }) => second));
      return { count, survivals: populations.map((each) => 1 - each.excited / stayed) };
    }),
  );
  return { leaked, excited: curve('excited'), inside };
}

/** The positions of the pure states: thermal admixtures of the prepared states are removed. */
function levelScale(dataset: Dataset, heat: number): LevelScale | string {
  const [re, im] = ['reference_re', 'reference_im'].map((name) =>
    rowsOf(dataset, name, ['state', 'repetition']),
  );
  const states = dataset.coordinates.state?.values;
  if (re === undefined || im === undefined || states === undefined) {
    return 'the dataset has no reference_re and reference_im over state and repetition';
  }
  const clouds = STATES.map((state) => {
    const row = states.indexOf(state);
    return pointsOf(re[row] ?? [], im[row] ?? []);
  });
  const fewest = Math.min(...clouds.map((cloud) => cloud.length));
  if (fewest < MIN_REPETITIONS) {
    return `${fewest} repetitions of a prepared state are too few; ${MIN_REPETITIONS} are needed`;
  }
  const [ground, excited, second] = clouds.map((cloud) => ({
    re: mean(cloud.map((point) => point.re)),
    im: mean(cloud.map((point) => point.im)),
  }));
  if (ground === undefined || excited === undefined || second === undefined) return 'a state is missing';
  // Both states have the same admixture, and a half turn of the second transition does not change the ground state.
  const unmix = (mixed: Point, other: Point): Point => ({
    re: ((1 - heat) * mixed.re - heat * other.re) / (1 - 2 * heat),
    im: ((1 - heat) * mixed.im - heat * other.im) / (1 - 2 * heat),
  });
  const [pureGround, pureExcited] = [unmix(ground, excited), unmix(excited, ground)];
  const pureSecond = {
    re: (second.re - heat * pureGround.re) / (1 - heat),
    im: (second.im - heat * pureGround.im) / (1 - heat),
  };
  const from = (to: Point): Point => ({ re: to.re - pureGround.re, im: to.im - pureGround.im });
  const [first, further] = [from(pureExcited), from(pureSecond)];
  const cross = (a: Point, b: Point) => a.re * b.im - a.im * b.re;
  const area = cross(first, further);
  const populations = (point: Point) => {
    const at = from(point);
    return { excited: cross(at, further) / area, second: cross(first, at) / area };
  };
  const placeErrorOf = (state: number, part: 'second' | 'excited') => {
    const cloud = clouds[state] ?? [];
    return standardDeviation(cloud.map((point) => populations(point)[part])) / Math.sqrt(cloud.length);
  };
  const placeError = placeErrorOf(0, 'second');
  const middleError = Math.hypot(placeErrorOf(0, 'excited'), placeErrorOf(1, 'excited')) / 2;
  if (!(SMALLEST_DISTANCE * placeError < 1)) {
    return 'the second excited state cannot be distinguished from the others: its signal is on their axis';
  }
  return { populations, placeError, middleError };
}

function leakageFigure(
  { task, qid }: AnalysisInput,
  { counts, errors }: Pick<SurvivalCurve, 'counts' | 'errors'>,
  {
    found,
    shown,
    r2,
    rates,
  }: {
    found: LeakageFit;
    shown: readonly number[];
    r2: number | null;
    rates: Record<'leakage' | 'seepage', Estimate> | null;
  },
): Figure {
  const positive = counts.flatMap((count, index) => (count > 0 ? [index] : []));
  const pick = (values: readonly number[]) => positive.map((index) => values[index] ?? 0);
  const resultText =
    rates === null
      ? 'no usable fit'
      : `leakage ${rateText(rates.leakage)}, seepage ${rateText(rates.seepage)}`;
  const curve = found.fit.ok ? { name: fitName(r2 ?? 0), at: found.evaluate } : null;
  return composeFit([{ name: 'data', x: pick(counts), y: pick(shown), sigma: pick(errors), curve }], {
    title: `${subjectOf({ task, qid })} · ${resultText}`,
    x: 'Number of Cliffords (0 is not shown)',
    y: 'Population of 2, mean ± error',
    xScale: 'log',
  });
}
