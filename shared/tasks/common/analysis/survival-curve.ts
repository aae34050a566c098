import { SEQUENCES_PER_LENGTH } from '../../../science/conventions/benchmarking.ts';
import type { Dataset } from '../../../science/datasets/model.ts';
import type { Estimate } from '../../../science/fitting/estimate.ts';
import { SIGNIFICANT } from '../../../science/fitting/estimate.ts';
import { changeOfInstrument } from '../../../science/fitting/instrument-drift.ts';
import { type PopulationScale, pointsOf, rowsOf } from '../../../science/fitting/population-scale.ts';
import {
  fitPowerDecays,
  type PowerDecayFit,
  type PowerDecayFits,
} from '../../../science/fitting/power-decay.ts';
import { judgeResiduals } from '../../../science/fitting/residuals.ts';
import { mean, standardDeviation } from '../../../science/fitting/statistics.ts';

/** Survival of random sequences as a function of their length. */
export interface SurvivalCurve {
  counts: number[];
  means: number[];
  /** Standard deviations between sequences. */
  deviations: number[];
  /** Standard errors of the means. */
  errors: number[];
  /** Individual sequences. */
  single: { count: number; survival: number }[];
  sequences: number;
}

export interface SurvivalFit extends PowerDecayFit {
  /** Polarisation that remains after a Clifford. */
  decay: Estimate;
  /** A message that the instrument changed between lengths; null if there is no evidence. */
  change: string | null;
}

/** Beyond this error the states are barely prepared, and the decay is so short that it needs no known asymptote. */
const LARGEST_PREPARATION_ERROR = 0.05;

/** Reads `<name>_re`, `<name>_im` over `clifford_count` and `trial`; a message if there is nothing to read. */
export function readSurvival(dataset: Dataset, name: string, scale: PopulationScale): SurvivalCurve | string {
  const [re, im] = ['re', 'im'].map((part) =>
    rowsOf(dataset, `${name}_${part}`, ['clifford_count', 'trial']),
  );
  const counts = dataset.coordinates.clifford_count?.values;
  if (re === undefined || im === undefined || counts === undefined) {
    return `the dataset has no ${name}_re and ${name}_im over clifford_count and trial`;
  }
  return survivalCurve(
    counts.map((count, row) => ({
      count,
      survivals: pointsOf(re[row] ?? [], im[row] ?? []).map(
        (point) => 1 - scale.population(point.re, point.im),
      ),
    })),
  );
}

/** The curve of the measured sequences' survival by length; lengths with too few sequences are left out. */
export function survivalCurve(
  lengths: readonly { count: unknown; survivals: readonly number[] }[],
): SurvivalCurve {
  const curve: SurvivalCurve = {
    counts: [],
    means: [],
    deviations: [],
    errors: [],
    single: [],
    sequences: 0,
  };
  const measured: number[] = [];
  for (const { count, survivals } of lengths) {
    if (typeof count !== 'number' || !(count >= 0)) continue;
    if (survivals.length < SEQUENCES_PER_LENGTH.fewest) continue;
    curve.counts.push(count);
    curve.single.push(...survivals.map((survival) => ({ count, survival })));
    curve.means.push(mean(survivals));
    curve.deviations.push(standardDeviation(survivals));
    measured.push(survivals.length);
  }
  curve.sequences = Math.max(0, ...measured);
  curve.errors = smoothed(curve.deviations).map(
    (deviation, index) => deviation / Math.sqrt(measured[index] ?? 1),
  );
  return curve;
}

/** A standard deviation from few sequences is uncertain, and similar to those of neighbouring lengths. */
function smoothed(deviations: readonly number[]): number[] {
  return deviations.map((deviation, index) => {
    const [before, after] = [deviations[index - 1] ?? deviation, deviations[index + 1] ?? deviation];
    return Math.sqrt((before ** 2 + 2 * deviation ** 2 + after ** 2) / 4);
  });
}

/** Curves of one benchmark, fitted together. */
export interface SurvivalFits {
  each: SurvivalFit[];
  /** Fraction of the polarisation that the interleaved gate of the second curve keeps, if there is one. */
  kept: Estimate;
  /** The reason why the model does not describe the data, with numbers. */
  problem: string | null;
}

/**
 * Standard deviation by which preparation and readout of the excited state may shift the middle of both prepared states. A
 * reference that is short by a tenth is common, and neither its own scatter nor short sequences show it.
 */
const REFERENCE_ERROR = 0.05;

/**
 * Fits A p^m + C to curves of one qubit. The asymptote C is the value at which the curves end, because errors of
 * preparation and readout are not errors of gates. The middle of both prepared states adds little information: a badly
 * prepared or read excited state shifts it, and a fit that trusted it would attribute the difference to the gates. The
 * excited state is prepared by two pulses, each with the error ε that the decay gives. Coherent errors add up to 6 ε of
 * population, others to less, so the middle is too high by 0 to 3 ε.
 */
export function fitSurvivals(
  curves: readonly SurvivalCurve[],
  scale: Pick<PopulationScale, 'middleError'>,
): SurvivalFits {
  const middleError = Math.hypot(scale.middleError, REFERENCE_ERROR);
  const first = fitSurvivalsTo(curves, { value: 0.5, error: middleError });
  const gateError = (1 - (first.each[0]?.decay.value ?? Number.NaN)) / 2;
  if (!(gateError > 0)) return first;
  const shift = 1.5 * Math.min(gateError, LARGEST_PREPARATION_ERROR);
  // Uniformly distributed over 0 to 2 shifts.
  const expected = { value: 0.5 - shift, error: Math.hypot(middleError, shift / Math.sqrt(3)) };
  return fitSurvivalsTo(curves, asFarAsSeen(curves, expected));
}

/** Maximum distance of the asymptote from the middle if the excited state is prepared badly. */
const LARGEST_SHIFT = 0.2;

/**
 * An expected asymptote, with its error enlarged as far as the curves require: the errors of two values that disagree are
 * scaled until they agree (R. T. Birge, https://doi.org/10.1103/PhysRev.40.207). Curves that are far from their asymptote
 * give no such evidence.
 */
function asFarAsSeen(curves: readonly SurvivalCurve[], expected: Estimate): Estimate {
  const [free] = fitSurvivalsTo(curves, { value: expected.value, error: LARGEST_SHIFT }).each;
  if (free === undefined || !free.fit.ok) return expected;
  const [seen = Number.NaN, error = Number.NaN] = [free.fit.parameters[2], free.fit.errors[2]];
  const beyond = (seen - expected.value) ** 2 - error ** 2 - expected.error ** 2;
  return beyond > 0 ? { ...expected, error: Math.hypot(expected.error, Math.sqrt(beyond)) } : expected;
}

/** Fits A p^m + C to curves with common A and C, where C is known. */
export function fitSurvivalsTo(curves: readonly SurvivalCurve[], asymptote: Estimate): SurvivalFits {
  const fits = fitPowerDecays(
    curves.map(({ counts, means, errors }) => ({ m: counts, y: means, sigma: errors })),
    asymptote,
  );
  return {
    each: fits.each.map((each, index) => ({
      ...each,
      decay: decayOf(each),
      // Several curves share their fit, so their differences would look like a change.
      change:
        curves.length > 1
          ? null
          : changeOfInstrument(each.fit, (curves[index]?.counts ?? []).map(each.evaluate)),
    })),
    kept: keptOf(fits),
    problem: fits.residuals === null ? null : misfit(fits.residuals, curves.length),
  };
}

/** Judges residuals whose standard deviations were estimated from the sequences' own scatter. */
function misfit(residuals: readonly number[], curves: number): string | null {
  return judgeResiduals(residuals, { parameters: 2 + curves, estimatedShare: 1 }).problem;
}

/** Quotient of both decays; their common errors cancel. */
function keptOf({ each, rates }: PowerDecayFits): Estimate {
  const [reference, both] = each.map(({ fit }) => (fit.ok ? (fit.parameters[1] ?? Number.NaN) : Number.NaN));
  const value = Math.exp((reference ?? Number.NaN) - (both ?? Number.NaN));
  const between = (a: number, b: number) => rates?.[a]?.[b] ?? Number.NaN;
  return { value, error: value * Math.sqrt(between(0, 0) + between(1, 1) - 2 * between(0, 1)) };
}

/** Polarisation that a Clifford keeps. */
function decayOf({ fit }: PowerDecayFit): Estimate {
  const [, rate = Number.NaN] = fit.ok ? fit.parameters : [];
  const [, rateError = Number.NaN] = fit.ok ? fit.errors : [];
  const value = Math.exp(-rate);
  return { value, error: value * rateError };
}

/** The reason why a fit cannot be used, with numbers; null if it can. */
export function survivalProblem({ fit, decay }: SurvivalFit): string | null {
  if (!fit.ok) return fit.message;
  const [amplitude = 0] = fit.parameters;
  const [amplitudeError = 0] = fit.errors;
  if (![...fit.parameters, ...fit.errors, decay.value, decay.error].every(Number.isFinite)) {
    return 'the fit gives no finite values';
  }
  const lost = 1 - decay.value;
  if (!(amplitude > SIGNIFICANT * amplitudeError)) {
    return `no decay exceeds the noise: its amplitude would be ${short(amplitude)} ± ${short(amplitudeError)}`;
  }
  if (!(lost > SIGNIFICANT * decay.error)) {
    return `the decay is not resolved: a Clifford would lose ${short(lost)} ± ${short(decay.error)} of the polarisation`;
  }
  return null;
}

/** The problem of a gate that seems to increase the polarisation, or whose error is too large for any conclusion. */
export function gateProblem(lost: Estimate, gate: string): string | null {
  if (lost.value > lost.error) return null;
  return `the error of ${gate.toUpperCase()} is not resolved from that of the Cliffords: it would lose ${short(lost.value)} ± ${short(lost.error)} of the polarisation`;
}

/** Formats an error rate, which may span many decades. */
function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
