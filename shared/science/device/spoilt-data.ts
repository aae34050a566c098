import type { Dataset, DatasetVariable } from '../datasets/model.ts';
import type { Random } from './random.ts';

/** Applies a fault of an instrument to a measured sweep, in place. */
export type Spoil = (dataset: Dataset, random: Random) => void;

/** A signal by its real and imaginary part. */
interface Signal {
  name: string;
  re: DatasetVariable;
  im: DatasetVariable;
}

function allSignals({ variables }: Dataset): Signal[] {
  return Object.keys(variables).flatMap((name) => {
    const [re, im] = [variables[name], variables[name.replace(/_re$/, '_im')]];
    return name.endsWith('_re') && re !== undefined && im !== undefined ? [{ name, re, im }] : [];
  });
}

/** The measured signals of a sweep, without the prepared states, which stay correct. */
function signals(dataset: Dataset): Signal[] {
  return allSignals(dataset).filter(({ name }) => !name.includes('reference'));
}

/** The larger of a signal's extents on both axes. */
function swing({ re, im }: Signal): number {
  const extent = ({ values }: DatasetVariable) => {
    const known = values.filter((value) => value !== null);
    return Math.max(...known) - Math.min(...known);
  };
  return Math.hypot(extent(re), extent(im));
}

function change(variable: DatasetVariable, by: (value: number, index: number) => number): void {
  variable.values = variable.values.map((value, index) => (value === null ? null : by(value, index)));
}

/** From the middle of the sweep, the digitiser repeats its last value. */
export function freeze(dataset: Dataset): void {
  for (const { re, im } of signals(dataset)) {
    for (const variable of [re, im]) {
      const middle = Math.floor(variable.values.length / 2);
      const last = variable.values[middle] ?? 0;
      change(variable, (value, index) => (index > middle ? last : value));
    }
  }
}

/**
 * The same fault for counts: from the middle, the counts of every sequence are those of the previous one. Prepared
 * states stay correct.
 */
export function freezeCounts({ dims, variables }: Dataset): void {
  const { outcome: outcomes = 0 } = dims;
  for (const [name, variable] of Object.entries(variables)) {
    if (variable.dims.at(-1) !== 'outcome' || name.includes('reference')) continue;
    const known = variable.values.filter((value) => value !== null).length;
    const middle = outcomes * Math.floor(known / outcomes / 2);
    const last = variable.values.slice(middle, middle + outcomes);
    change(variable, (value, index) => (index > middle ? (last[index % outcomes] ?? value) : value));
  }
}

/** From some point, the signal is shifted in the IQ plane. */
export function jumpOffset(dataset: Dataset, random: Random): void {
  for (const signal of signals(dataset)) {
    const size = 0.3 * swing(signal);
    const angle = random.between(-Math.PI, Math.PI);
    const from = random.between(0.2, 0.8) * signal.re.values.length;
    change(signal.re, (value, index) => value + (index > from ? size * Math.cos(angle) : 0));
    change(signal.im, (value, index) => value + (index > from ? size * Math.sin(angle) : 0));
  }
}

/** The signal drifts through the IQ plane during the sweep. */
export function driftOffset(dataset: Dataset, random: Random): void {
  for (const signal of signals(dataset)) {
    const size = 0.3 * swing(signal);
    const angle = random.between(-Math.PI, Math.PI);
    const count = signal.re.values.length;
    change(signal.re, (value, index) => value + (size * Math.cos(angle) * index) / count);
    change(signal.im, (value, index) => value + (size * Math.sin(angle) * index) / count);
  }
}

/** From some point, the amplifier's gain is a tenth smaller. */
export function loseGain(dataset: Dataset, random: Random): void {
  for (const { re, im } of signals(dataset)) {
    const from = random.between(0.2, 0.8) * re.values.length;
    for (const variable of [re, im]) change(variable, (value, index) => (index > from ? 0.9 * value : value));
  }
}

/** One point lies far outside of the others. */
export function throwPoint(dataset: Dataset, random: Random): void {
  for (const signal of signals(dataset)) {
    const at = Math.floor(random.between(0, signal.re.values.length));
    const size = random.between(1, 3) * swing(signal);
    const angle = random.between(-Math.PI, Math.PI);
    change(signal.re, (value, index) => (index === at ? value + size * Math.cos(angle) : value));
    change(signal.im, (value, index) => (index === at ? value + size * Math.sin(angle) : value));
  }
}

/** The amplifier warms up: its gain changes with the square of the time. */
export function warmUp(dataset: Dataset, random: Random): void {
  for (const { re, im } of signals(dataset)) {
    const size = random.between(-0.15, 0.15);
    const count = re.values.length;
    for (const variable of [re, im])
      change(variable, (value, index) => value * (1 + size * (index / count) ** 2));
  }
}

/** A slow wave is added to the signal, as by a temperature control. */
export function waveOffset(dataset: Dataset, random: Random): void {
  for (const signal of signals(dataset)) {
    const size = 0.15 * swing(signal);
    const [angle, phase] = [random.between(-Math.PI, Math.PI), random.between(-Math.PI, Math.PI)];
    const turns = (2 * Math.PI * random.between(0.5, 3)) / signal.re.values.length;
    const wave = (index: number) => size * Math.sin(turns * index + phase);
    change(signal.re, (value, index) => value + Math.cos(angle) * wave(index));
    change(signal.im, (value, index) => value + Math.sin(angle) * wave(index));
  }
}

/** The digitiser's range covers only a fraction of the signal on each axis. */
export function saturate(dataset: Dataset, random: Random): void {
  for (const { re, im } of signals(dataset)) {
    const part = random.between(0.5, 0.9);
    for (const variable of [re, im]) {
      const known = variable.values.filter((value) => value !== null);
      const [lowest, highest] = [Math.min(...known), Math.max(...known)];
      const limit = lowest + part * (highest - lowest);
      change(variable, (value) => Math.min(value, limit));
    }
  }
}

/** A few consecutive points have random values. */
export function burst(dataset: Dataset, random: Random): void {
  for (const signal of signals(dataset)) {
    const from = Math.floor(random.between(0, signal.re.values.length - 5));
    const size = swing(signal);
    for (const variable of [signal.re, signal.im]) {
      change(variable, (value, index) =>
        index >= from && index < from + 4 ? value + size * random.between(-1, 1) : value,
      );
    }
  }
}

/** From some point, the two quadratures are swapped. */
export function swapQuadratures(dataset: Dataset, random: Random): void {
  for (const { re, im } of signals(dataset)) {
    const from = random.between(0.2, 0.8) * re.values.length;
    const [before, aside] = [re.values, im.values];
    re.values = before.map((value, index) => (index > from ? (aside[index] ?? null) : value));
    im.values = aside.map((value, index) => (index > from ? (before[index] ?? null) : value));
  }
}

/** Two neighbouring points are swapped, as by a sequencer that plays its segments out of order. */
export function exchangePoints(dataset: Dataset, random: Random): void {
  for (const { re, im } of signals(dataset)) {
    const at = Math.floor(random.between(0, re.values.length - 1));
    for (const variable of [re, im]) {
      const [first, second] = variable.values.slice(at, at + 2);
      variable.values = variable.values.with(at, second ?? null).with(at + 1, first ?? null);
    }
  }
}

/** From some point, the sweep is shifted by one point, as if a trigger was counted twice. */
export function slipPoint(dataset: Dataset, random: Random): void {
  for (const { re, im } of signals(dataset)) {
    const at = Math.floor(random.between(0.2, 0.8) * re.values.length);
    for (const variable of [re, im]) {
      const measured = variable.values;
      variable.values = measured.map((value, index) => (index > at ? (measured[index - 1] ?? null) : value));
    }
  }
}

/** The phase of the local oscillator drifts during the sweep, which rotates the plane about its origin. */
export function turnPhase(dataset: Dataset, random: Random): void {
  for (const signal of signals(dataset)) {
    const size = random.between(-0.5, 0.5);
    turn(signal, (index, count) => (size * index) / count);
  }
}

/** The phase of the sweep differs from that of the prepared states, as after a synthesizer has lost its lock. */
export function turnFromStates(dataset: Dataset, random: Random): void {
  const size = random.between(-0.5, 0.5);
  for (const signal of signals(dataset)) turn(signal, () => size);
}

function turn(
  { re, im }: { re: DatasetVariable; im: DatasetVariable },
  angleAt: (index: number, count: number) => number,
): void {
  const [i, q] = [re.values, im.values];
  const turned = i.map((value, index) => {
    const [angle, other] = [angleAt(index, i.length), q[index]];
    if (typeof value !== 'number' || typeof other !== 'number') return { re: null, im: null };
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    return { re: value * cos - other * sin, im: value * sin + other * cos };
  });
  re.values = turned.map((each) => each.re);
  im.values = turned.map((each) => each.im);
}

/** The amplifier's settings change between the prepared states and the sweep. */
export function scaleFromStates(dataset: Dataset, random: Random): void {
  const gain = 1 + random.between(-0.15, 0.15);
  for (const { re, im } of signals(dataset)) {
    for (const variable of [re, im]) change(variable, (value) => gain * value);
  }
}

/** Fraction of points that are lost. */
const LOST = 0.08;

/** Single points are zero, as if the digitiser missed their trigger. */
export function dropOut(dataset: Dataset, random: Random): void {
  for (const { re, im } of signals(dataset)) {
    const lost = new Set(re.values.flatMap((_, index) => (random.uniform() < LOST ? [index] : [])));
    for (const variable of [re, im]) change(variable, (value, index) => (lost.has(index) ? 0 : value));
  }
}

/** Single points are missing, as if packets from the instrument were lost. */
export function losePoints(dataset: Dataset, random: Random): void {
  for (const { re, im } of signals(dataset)) {
    const lost = new Set(re.values.flatMap((_, index) => (random.uniform() < LOST ? [index] : [])));
    for (const variable of [re, im]) {
      variable.values = variable.values.map((value, index) => (lost.has(index) ? null : value));
    }
  }
}

/** Mains hum: an offset that oscillates with a period of a few points. */
export function humOffset(dataset: Dataset, random: Random): void {
  for (const signal of signals(dataset)) {
    const size = 0.1 * swing(signal);
    const [angle, phase] = [random.between(-Math.PI, Math.PI), random.between(-Math.PI, Math.PI)];
    const turns = (2 * Math.PI) / random.between(2.2, 8);
    const hum = (index: number) => size * Math.sin(turns * index + phase);
    change(signal.re, (value, index) => value + Math.cos(angle) * hum(index));
    change(signal.im, (value, index) => value + Math.sin(angle) * hum(index));
  }
}

/** The digitiser has only a few steps for the whole signal, as if its range was set much too wide. */
export function roundCoarsely(dataset: Dataset, random: Random): void {
  for (const signal of signals(dataset)) {
    const step = random.between(0.03, 0.12) * swing(signal);
    for (const variable of [signal.re, signal.im]) {
      change(variable, (value) => step * Math.round(value / step));
    }
  }
}

/** The gain varies from point to point, as that of an amplifier with an unstable pump. */
export function flickerGain(dataset: Dataset, random: Random): void {
  for (const { re, im } of signals(dataset)) {
    const gains = re.values.map(() => 1 + 0.05 * random.normal());
    for (const variable of [re, im]) change(variable, (value, index) => value * (gains[index] ?? 1));
  }
}

/** The demodulator rotates the signal onto one quadrature and records only that, also for prepared states. */
export function keepOneQuadrature(dataset: Dataset): void {
  const parts = allSignals(dataset);
  const [first] = parts;
  if (first === undefined) return;
  const angle = principalAngle(first.re.values, first.im.values);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  for (const { re, im } of parts) {
    change(re, (value, index) => value * cos + (im.values[index] ?? 0) * sin);
    change(im, () => 0);
  }
}

/** Angle of the principal axis of points in a plane. */
function principalAngle(re: readonly (number | null)[], im: readonly (number | null)[]): number {
  const points = re.map((value, index) => [value ?? 0, im[index] ?? 0] as const);
  const average = (of: (a: number, b: number) => number) =>
    points.reduce((sum, [a, b]) => sum + of(a, b), 0) / points.length;
  const [atRe, atIm] = [average((a) => a), average((_, b) => b)];
  const spread = average((a, b) => (a - atRe) ** 2 - (b - atIm) ** 2);
  return Math.atan2(2 * average((a, b) => (a - atRe) * (b - atIm)), spread) / 2;
}

/** The buffer is read from a wrong start, so the sweep is rotated by some points. */
export function rollSweep(dataset: Dataset, random: Random): void {
  for (const { re, im } of signals(dataset)) {
    const count = re.values.length;
    const by = Math.max(1, Math.floor(random.between(0.05, 0.95) * count));
    for (const variable of [re, im]) {
      variable.values = [...variable.values.slice(count - by), ...variable.values.slice(0, count - by)];
    }
  }
}

/** The points are stored in the opposite order. */
export function reverseSweep(dataset: Dataset): void {
  for (const { re, im } of signals(dataset)) {
    for (const variable of [re, im]) variable.values = variable.values.toReversed();
  }
}

/** Each point contains a tenth of the previous one, as after a filter that is too slow. */
export function rememberPoints(dataset: Dataset): void {
  for (const { re, im } of signals(dataset)) {
    for (const variable of [re, im]) {
      let kept = variable.values.find((value) => value !== null) ?? 0;
      change(variable, (value) => {
        kept = 0.9 * value + 0.1 * kept;
        return kept;
      });
    }
  }
}

/** The amplifier's gain falls with the signal, by up to 5 to 20 %, also for prepared states. */
export function compressGain(dataset: Dataset, random: Random): void {
  const parts = allSignals(dataset);
  const largest = Math.max(
    ...parts.flatMap(({ re, im }) =>
      re.values.map((value, index) => Math.hypot(value ?? 0, im.values[index] ?? 0)),
    ),
  );
  const part = random.between(0.05, 0.2);
  for (const { re, im } of parts) {
    const gains = re.values.map(
      (value, index) => 1 - part * (Math.hypot(value ?? 0, im.values[index] ?? 0) / largest) ** 2,
    );
    for (const variable of [re, im]) change(variable, (value, index) => value * (gains[index] ?? 1));
  }
}

/** Values beyond the range of the digitiser wrap around to its other end. */
export function overflow(dataset: Dataset, random: Random): void {
  for (const { re, im } of signals(dataset)) {
    const part = random.between(0.6, 0.95);
    for (const variable of [re, im]) {
      const known = variable.values.filter((value) => value !== null);
      const [lowest, highest] = [Math.min(...known), Math.max(...known)];
      const limit = lowest + part * (highest - lowest);
      change(variable, (value) => (value > limit ? value - (limit - lowest) : value));
    }
  }
}
