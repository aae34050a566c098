import type { Complex } from '../quantum/complex.ts';
import type { ComplexPoint } from './quadratures.ts';

/** A resonator and its line as found by the search: start values of a fit, in GHz and ns. */
export interface SeenReflection {
  frequency: number;
  external: number;
  internal: number;
  /** Amplitude and phase of the line at the resonator. */
  line: Complex;
  delay: number;
}

/**
 * Number of delays for each inverse of the span, up to the largest that the steps resolve. Finer ones are tried around
 * the best.
 */
const DELAYS_PER_SPAN = 4;
const BEST_DELAYS = 4;
const FINER = [-0.4, -0.2, 0, 0.2, 0.4];
const FINEST = [-0.12, -0.08, -0.04, 0.04, 0.08, 0.12];
/** Line widths to try: the smallest in steps, the largest as a fraction of the span, and their number. */
const [NARROWEST, WIDEST, WIDTHS] = [1.5, 1, 14];
/** Number of frequencies to try for each line width, and their maximum. */
const PER_WIDTH = 2;
const MAX_FREQUENCIES = 80;
/** Minimum coupling to the line as a fraction of all losses. With less, the resonator is invisible. */
const MIN_COUPLED = 0.01;

/**
 * Looks for a resonator on a line of any delay: S = c e^(−2πi f τ) (1 − 2 κ_ex / (κ + 2i (f − f_r))) is linear in c and
 * c κ_ex. All f_r, κ and τ that the points resolve are tried, and the best is chosen. Unlike a search in the phase
 * alone, it finds undercoupled resonators, and narrow ones on a line with a phase of many turns. Undefined if the
 * points show no resonator.
 */
export function seeReflection(points: readonly ComplexPoint[]): SeenReflection | undefined {
  const sorted = [...points].sort((a, b) => a.frequency - b.frequency);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined || !(last.frequency > first.frequency)) return undefined;
  const span = last.frequency - first.frequency;
  const step = span / (sorted.length - 1);
  const { delays, spacing } = likelyDelays(sorted, span, step);
  const rough = bestOf(sorted, { span, step, delays });
  if (rough === undefined) return undefined;
  // With a slightly wrong delay, a wide resonator describes the line better than the true one.
  const closer = FINEST.map((part) => rough.delay + part * spacing);
  return bestOf(sorted, { span, step, delays: [rough.delay, ...closer] });
}

/** The frequency, width and delay with the smallest residuals, among these delays. */
function bestOf(
  sorted: readonly ComplexPoint[],
  { span, step, delays }: { span: number; step: number; delays: readonly number[] },
): SeenReflection | undefined {
  const first = { frequency: sorted[0]?.frequency ?? 0 };
  let best: (SeenReflection & { residual: number }) | undefined;
  for (const delay of delays) {
    const flat = sorted.map(({ frequency, re, im }) => {
      const angle = 2 * Math.PI * (frequency - first.frequency) * delay;
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      return { offset: frequency - first.frequency, re: re * cos - im * sin, im: re * sin + im * cos };
    });
    for (let place = 0; place < WIDTHS; place++) {
      const narrowest = NARROWEST * step;
      const kappa = narrowest * ((WIDEST * span) / narrowest) ** (place / (WIDTHS - 1));
      const count = Math.min(MAX_FREQUENCIES, Math.ceil((PER_WIDTH * span) / kappa));
      for (let index = 0; index <= count; index++) {
        const offset = (span * index) / count;
        const found = coupledAt(flat, offset, kappa);
        if (found === undefined || found.residual >= (best?.residual ?? Number.POSITIVE_INFINITY)) continue;
        const angle = -2 * Math.PI * offset * delay;
        const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
        best = {
          residual: found.residual,
          frequency: first.frequency + offset,
          external: found.external,
          internal: kappa - found.external,
          line: {
            re: found.line.re * cos - found.line.im * sin,
            im: found.line.re * sin + found.line.im * cos,
          },
          delay,
        };
      }
    }
  }
  return best;
}

/**
 * Delays for which the sum of the points is largest after removing the delay's phase, because the reflection of the
 * line away from the resonator is then constant.
 */
function likelyDelays(
  points: readonly ComplexPoint[],
  span: number,
  step: number,
): { delays: number[]; spacing: number } {
  const spacing = 1 / (DELAYS_PER_SPAN * span);
  const most = Math.floor(1 / (2 * step) / spacing);
  const sums = Array.from({ length: 2 * most + 1 }, (_, index) => {
    const delay = (index - most) * spacing;
    let [sumRe, sumIm] = [0, 0];
    for (const { frequency, re, im } of points) {
      const angle = 2 * Math.PI * frequency * delay;
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      sumRe += re * cos - im * sin;
      sumIm += re * sin + im * cos;
    }
    return { delay, size: Math.hypot(sumRe, sumIm) };
  });
  const delays = sums
    .sort((a, b) => b.size - a.size)
    .slice(0, BEST_DELAYS)
    .flatMap(({ delay }) => FINER.map((part) => delay + part * spacing));
  return { delays, spacing };
}

/** Line and coupling by least squares for a resonator of this frequency and width, and the residuals. */
function coupledAt(
  points: readonly (Complex & { offset: number })[],
  frequency: number,
  kappa: number,
): { line: Complex; external: number; residual: number } | undefined {
  let [n, sumL, sumLi, norm, sRe, sIm, pRe, pIm, size] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (const { offset, re, im } of points) {
    // The resonator's term 1 / (κ + 2iδ), in units of 1/κ.
    const x = (2 * (offset - frequency)) / kappa;
    const a = 1 / (1 + x ** 2);
    const b = -x * a;
    n += 1;
    sumL += a;
    sumLi += b;
    norm += a ** 2 + b ** 2;
    sRe += re;
    sIm += im;
    pRe += a * re + b * im;
    pIm += a * im - b * re;
    size += re ** 2 + im ** 2;
  }
  // Normal equations of c and of d, the resonator's contribution: [n, l; l*, norm] (c, d) = (s, p).
  const determinant = n * norm - sumL ** 2 - sumLi ** 2;
  if (!(determinant > 1e-12 * n * n)) return undefined;
  const c = {
    re: (norm * sRe - (sumL * pRe - sumLi * pIm)) / determinant,
    im: (norm * sIm - (sumL * pIm + sumLi * pRe)) / determinant,
  };
  const d = {
    re: (n * pRe - (sumL * sRe + sumLi * sIm)) / determinant,
    im: (n * pIm - (sumL * sIm - sumLi * sRe)) / determinant,
  };
  // d = −2 (κ_ex / κ) c. Only its component along c counts, limited to possible couplings.
  const share = -(d.re * c.re + d.im * c.im) / (2 * (c.re ** 2 + c.im ** 2));
  const coupled = Math.min(1, Math.max(MIN_COUPLED, share));
  // c is fitted again for this coupling: the signal is c (1 − 2 coupled · l).
  const weight = n - 4 * coupled * sumL + 4 * coupled ** 2 * norm;
  const line = { re: (sRe - 2 * coupled * pRe) / weight, im: (sIm - 2 * coupled * pIm) / weight };
  const residual = size - (line.re ** 2 + line.im ** 2) * weight;
  return { line, external: coupled * kappa, residual };
}
