import { czPopulation, USUAL_CURVATURE } from '../conventions/cz-exchange.ts';
import { byCentralDifferences } from './central-differences.ts';
import { coefficientOfDetermination, type Fit, fitCurve } from './least-squares.ts';
import { mean } from './statistics.ts';

/** Population of the qubit that loses its excitation, for a pulse of this amplitude and length (ns). */
export interface CzPoint {
  amplitude: number;
  time: number;
  population: number;
}

export interface CzChevronFit {
  /**
   * Parameters: amplitude of the resonance; splitting g (GHz); slope of the detuning there (GHz per amplitude); part of
   * a pulse that the ramps take (ns); largest population; the fraction of it that is exchanged; decay rates of the
   * oscillation and of the population (per ns); curvature of the detuning over the amplitude.
   */
  fit: Fit;
  fitted: number[];
  evaluate(amplitude: number, time: number): number;
}

/**
 * Splittings to try, GHz: so close that the phases of neighbours differ by a fraction of a turn after the longest
 * pulse.
 */
const SPLITTINGS = { from: 0.003, to: 0.03, turns: 0.25 };
/** Slopes to try, GHz per amplitude. */
const SLOPES = [1.5, 2.2, 3.2, 4.5, 6.5, 9];
/** Number of columns on either side of the deepest one that determine the start values. */
const COLUMNS = 8;
/**
 * Fitted range on either side of the resonance: in widths of the resonance, and its minimum in columns. Almost nothing
 * is exchanged beyond it.
 */
const WIDTHS = 6;
const MIN_COLUMNS = 3;

/** Maximum fraction of the excitation that is exchanged. It may exceed one only by noise. */
const MAX_EXCHANGED = 1.15;

/** Start values of a fit. */
export interface CzStart {
  centre: number;
  splitting: number;
  slope: number;
  largest: number;
  part: number;
}

/**
 * Fits P(A, t) = P₀ e^(−Γt) (1 − C g²/Ω² (1 − e^(−γt') cos 2πΩt') / 2) with Ω² = g² + Δ², t' = t − t₀ and
 * Δ = s (A − A₀) (1 + c (A − A₀) / A₀): the exchange of |11> with the state of two excitations in one qubit.
 */
export function fitCzChevron(
  points: readonly CzPoint[],
  { centre, splitting, slope, largest, part }: CzStart,
  sigma?: readonly number[],
): CzChevronFit {
  const scale = [splitting / slope, splitting / 10, slope / 10, 1, 0.1, 0.1, 1e-4, 1e-5, 0.1];
  const value = (parameters: readonly number[], index: number) => {
    const point = points[index];
    return point === undefined ? 0 : czPopulation(parameters, point.amplitude, point.time);
  };
  const y = points.map(({ population }) => population);
  const fit = fitCurve({
    x: points.map((_, index) => index),
    y,
    ...(sigma && { sigma }),
    model: byCentralDifferences(
      value,
      scale.map((each) => 1e-4 * each),
    ),
    start: [centre, splitting, slope, 2, largest, part, 1e-4, 1e-5, USUAL_CURVATURE],
    scale,
  });
  const parameters = fit.ok ? fit.parameters : [];
  const fitted = fit.ok ? points.map((_, index) => value(parameters, index)) : [];
  const r2 = fit.ok ? (coefficientOfDetermination(y, fitted) ?? fit.r2) : null;
  return {
    fit: fit.ok && r2 !== null ? { ...fit, r2 } : fit,
    fitted,
    evaluate: (amplitude, time) => czPopulation(parameters, amplitude, time),
  };
}

/** The points that determine the resonance of start values: those at amplitudes near it. */
export function nearResonance(points: readonly CzPoint[], { centre, splitting, slope }: CzStart): CzPoint[] {
  const amplitudes = amplitudesOf(points);
  const span = (amplitudes.at(-1) ?? 0) - (amplitudes[0] ?? 0);
  const step = span / Math.max(1, amplitudes.length - 1);
  const reach = Math.max((WIDTHS * splitting) / slope, (MIN_COLUMNS + 0.5) * step);
  return points.filter(({ amplitude }) => Math.abs(amplitude - centre) <= reach);
}

function amplitudesOf(points: readonly CzPoint[]): number[] {
  return [...new Set(points.map(({ amplitude }) => amplitude))].sort((a, b) => a - b);
}

/** Start values: the best of a grid of splittings and slopes around the amplitude with the largest exchange. */
export function czStart(points: readonly CzPoint[]): CzStart {
  const amplitudes = amplitudesOf(points);
  const means = amplitudes.map((each) =>
    mean(points.filter(({ amplitude }) => amplitude === each).map(({ population }) => population)),
  );
  const smooth = means.map(
    (value, index) => (means[index - 1] ?? value) + 2 * value + (means[index + 1] ?? value),
  );
  const deepest = smooth.indexOf(Math.min(...smooth));
  const near = new Set(amplitudes.slice(Math.max(0, deepest - COLUMNS), deepest + COLUMNS + 1));
  const seen = points.filter(({ amplitude }) => near.has(amplitude));
  const at = amplitudes[deepest] ?? 0;
  const span = (amplitudes.at(-1) ?? 0) - (amplitudes[0] ?? 0);
  const step = span / Math.max(1, amplitudes.length - 1);
  const longest = Math.max(...points.map(({ time }) => time));
  const apart = Math.max(1e-4, SPLITTINGS.turns / longest);
  const splittings = Array.from(
    { length: Math.ceil((SPLITTINGS.to - SPLITTINGS.from) / apart) + 1 },
    (_, index) => SPLITTINGS.from + index * apart,
  );
  let least = Number.POSITIVE_INFINITY;
  let best: CzStart = { centre: at, splitting: 0.01, slope: 4, largest: 1, part: 1 };
  for (const offset of [-1, -0.5, 0, 0.5, 1]) {
    const centre = at + offset * step;
    if (!(centre > 0)) continue;
    for (const splitting of splittings) {
      for (const slope of SLOPES) {
        const { residual, ...line } = linearLeft(seen, [centre, splitting, slope, 2, 1, 1, 1e-4, 0]);
        if (residual >= least || line.part > MAX_EXCHANGED) continue;
        least = residual;
        best = { centre, splitting, slope, ...line };
      }
    }
  }
  return best;
}

/** Largest population and exchanged fraction by linear least squares: P = P₀ − P₀ C · gone. */
function linearLeft(points: readonly CzPoint[], parameters: readonly number[]) {
  const gone = points.map(({ amplitude, time }) => 1 - czPopulation(parameters, amplitude, time));
  const y = points.map(({ population }) => population);
  const [meanX, meanY] = [mean(gone), mean(y)];
  let [xx, xy, yy] = [0, 0, 0];
  for (const [index, value] of gone.entries()) {
    const [dx, dy] = [value - meanX, (y[index] ?? 0) - meanY];
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  const fall = xx > 0 ? -xy / xx : 0;
  const largest = meanY + fall * meanX;
  // A population that increases is not an exchange.
  return { residual: fall > 0 ? yy - fall ** 2 * xx : yy, largest, part: largest > 0 ? fall / largest : 0 };
}
