/**
 * A resonator that is shifted by its qubit (the pull). The shift is largest without photons and decreases with their
 * number. GHz.
 */
export interface PulledLine {
  /** Detuning of the tone from the bare resonator. */
  offset: number;
  /** Shift from the bare resonator to the one without photons; positive if the qubit is below the resonator. */
  pull: number;
  /** Half of the line width. */
  half: number;
  /** Photons that the tone would sustain on resonance, in units of the critical number. */
  photons: number;
}

/** The detuning of a tone from the resonator that it has shifted. */
export interface PhotonShift {
  /** Detuning of the tone from the shifted resonator, GHz. */
  detuning: number;
  /** Remaining fraction of the pull. */
  share: number;
  /** Whether there is another state. The state of a bistable resonator depends on its history. */
  isBistable: boolean;
}

const MAX_STEPS = 60;
const PRECISION = 1e-12;

/**
 * Solves n = N (κ/2)² / ((κ/2)² + δ²) with δ = offset − pull s and s = 1/√(1 + n), photons in units of the critical
 * number: the semiclassical resonator of a transmon (https://doi.org/10.1103/PhysRevLett.105.100504). With n = 1/s² − 1
 * it is a quartic in s, whose roots are separated by the zeros of its derivative. If there are three solutions, the
 * result is the one that a sweep towards higher frequencies follows.
 */
export function photonShift({ offset, pull, half, photons }: PulledLine): PhotonShift {
  const [x, h] = [offset / pull, half / pull];
  const size = h ** 2 + x ** 2;
  const quartic: Quartic = { size, x, quadratic: 1 - size - photons * h ** 2 };
  const ends = [0, ...turnsOf(quartic), 1];
  let share = 1;
  let solutions = 0;
  for (let index = 1; index < ends.length; index++) {
    const [from = 0, to = 1] = [ends[index - 1], ends[index]];
    if (valueAt(quartic, from) > 0 === valueAt(quartic, to) > 0) continue;
    solutions += 1;
    // Few photons mean a large remaining pull. The sign of the pull determines from which side a sweep reaches the
    // resonator.
    if (solutions === 1 || pull > 0) share = zeroBetween(quartic, from, to);
  }
  return { detuning: offset - pull * share, share, isBistable: solutions > 1 };
}

/**
 * x² + h² − 2 x s + quadratic s² + 2 x s³ − s⁴ with x and h in units of the pull. A fit evaluates it a million times.
 */
interface Quartic {
  size: number;
  x: number;
  quadratic: number;
}

function valueAt({ size, x, quadratic }: Quartic, s: number): number {
  return size + s * (-2 * x + s * (quadratic + s * (2 * x - s)));
}

function slopeAt({ x, quadratic }: Quartic, s: number): number {
  return -2 * x + s * (2 * quadratic + s * (6 * x - 4 * s));
}

/** Its extrema between 0 and 1, in rising order. */
function turnsOf({ x, quadratic }: Quartic): number[] {
  return cubicRoots(-4, 6 * x, 2 * quadratic, -2 * x)
    .filter((s) => s > 0 && s < 1)
    .sort((a, b) => a - b);
}

/** Derivatives of δ by offset, pull, half the line width and the photons, at a solution of {@link photonShift}. */
export function shiftSlopes(
  { pull, half, photons }: PulledLine,
  { detuning, share }: Pick<PhotonShift, 'detuning' | 'share'>,
): Record<keyof PulledLine, number> {
  const rest = 1 - share ** 2;
  // F(s) = (1 − s²)(h² + δ²) − N h² s² vanishes.
  const byShare =
    -2 * share * (half ** 2 + detuning ** 2) - 2 * rest * detuning * pull - 2 * photons * half ** 2 * share;
  const through = (slope: number) => (pull * slope) / byShare;
  const byDetuning = 2 * rest * detuning;
  return {
    offset: 1 + through(byDetuning),
    pull: -share + through(-share * byDetuning),
    half: through(2 * half * (rest - photons * share ** 2)),
    photons: through(-(half ** 2) * share ** 2),
  };
}

/**
 * The zero between two points of opposite sign, by Newton's method with bisection if a step would leave the interval.
 */
function zeroBetween(quartic: Quartic, from: number, to: number): number {
  let low = from;
  let high = to;
  const isPositive = valueAt(quartic, from) > 0;
  let here = (low + high) / 2;
  for (let step = 0; step < MAX_STEPS; step++) {
    const value = valueAt(quartic, here);
    if (value > 0 === isPositive) low = here;
    else high = here;
    const newton = here - value / slopeAt(quartic, here);
    const next = newton > low && newton < high ? newton : (low + high) / 2;
    if (Math.abs(next - here) < PRECISION) return next;
    here = next;
  }
  return here;
}

/** Real zeros of a x³ + b x² + c x + d, a not 0, by the trigonometric formula. */
function cubicRoots(a: number, b: number, c: number, d: number): number[] {
  const shift = b / (3 * a);
  const p = c / a - 3 * shift ** 2;
  const q = 2 * shift ** 3 - (shift * c) / a + d / a;
  const discriminant = (q / 2) ** 2 + (p / 3) ** 3;
  if (discriminant > 0) {
    const root = Math.sqrt(discriminant);
    return [Math.cbrt(-q / 2 + root) + Math.cbrt(-q / 2 - root) - shift];
  }
  const size = 2 * Math.sqrt(Math.max(0, -p / 3));
  if (size === 0) return [-shift];
  const angle = Math.acos(Math.min(1, Math.max(-1, (3 * q) / (p * size)))) / 3;
  return [0, 1, 2].map((turn) => size * Math.cos(angle - (2 * Math.PI * turn) / 3) - shift);
}
