import type { Dataset, DatasetVariable } from '../../../shared/science/datasets/model.ts';
import type { Random } from '../../../shared/science/device/random.ts';
import type { MeasureOnce, Trial } from './model.ts';

/** The measured signals of a sweep, pairwise real and imaginary part; prepared states are not spoilt. */
function signals(dataset: Dataset): { re: DatasetVariable; im: DatasetVariable }[] {
  return Object.keys(dataset.variables).flatMap((name) => {
    if (!name.endsWith('_re') || name.startsWith('reference')) return [];
    const [re, im] = [dataset.variables[name], dataset.variables[name.replace(/_re$/, '_im')]];
    return re === undefined || im === undefined ? [] : [{ re, im }];
  });
}

/** Largest extent of a signal on either axis. */
function swing({ re, im }: { re: DatasetVariable; im: DatasetVariable }): number {
  const extent = ({ values }: DatasetVariable) => {
    const known = values.filter((value) => value !== null);
    return Math.max(...known) - Math.min(...known);
  };
  return Math.hypot(extent(re), extent(im));
}

function change(variable: DatasetVariable, by: (value: number, index: number) => number): void {
  variable.values = variable.values.map((value, index) => (value === null ? null : by(value, index)));
}

/** From the middle on the digitiser repeats what it saw last. */
export function freeze(dataset: Dataset): void {
  for (const { re, im } of signals(dataset)) {
    for (const variable of [re, im]) {
      const middle = Math.floor(variable.values.length / 2);
      const last = variable.values[middle] ?? 0;
      change(variable, (value, index) => (index > middle ? last : value));
    }
  }
}

/** From somewhere on the signal lies elsewhere in the IQ plane. */
export function jumpOffset(dataset: Dataset, random: Random): void {
  for (const signal of signals(dataset)) {
    const size = 0.3 * swing(signal);
    const angle = random.between(-Math.PI, Math.PI);
    const from = random.between(0.2, 0.8) * signal.re.values.length;
    change(signal.re, (value, index) => value + (index > from ? size * Math.cos(angle) : 0));
    change(signal.im, (value, index) => value + (index > from ? size * Math.sin(angle) : 0));
  }
}

/** The signal moves through the IQ plane during the sweep. */
export function driftOffset(dataset: Dataset, random: Random): void {
  for (const signal of signals(dataset)) {
    const size = 0.3 * swing(signal);
    const angle = random.between(-Math.PI, Math.PI);
    const count = signal.re.values.length;
    change(signal.re, (value, index) => value + (size * Math.cos(angle) * index) / count);
    change(signal.im, (value, index) => value + (size * Math.sin(angle) * index) / count);
  }
}

/** From somewhere on the amplifier gives a tenth less. */
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

/** The mean of datasets of the same shape. */
function average(parts: readonly Dataset[]): Dataset {
  const [first] = parts;
  if (first === undefined) throw new Error('An average needs a dataset.');
  const variables = Object.entries(first.variables).map(([name, variable]) => {
    const values = variable.values.map((_, index) => {
      const known = parts.map((part) => part.variables[name]?.values[index]);
      const numbers = known.filter((value) => typeof value === 'number');
      return numbers.length === 0 ? null : numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
    });
    return [name, { ...variable, values }] as const;
  });
  return { ...first, variables: Object.fromEntries(variables) };
}

/** Half of the shots with the qubit at one of two frequencies that lie `apart` (GHz). */
export function beating(apart: (random: Random) => number) {
  return (once: MeasureOnce, { qubit, random }: Trial): Dataset => {
    const half = apart(random) / 2;
    const parts = [-half, half].map((offset) =>
      once({ qubit: { ...qubit, f01: qubit.f01 + offset }, shotsPart: 0.5 }),
    );
    return average(parts);
  };
}

/** Half of the shots with a T1 that is shorter by the factor. */
export function twoValuedT1(factor: number) {
  return (once: MeasureOnce, { qubit }: Trial): Dataset =>
    average([1, factor].map((each) => once({ qubit: { ...qubit, t1: qubit.t1 * each }, shotsPart: 0.5 })));
}

const SHIFTS = 24;

/** Inverse of the normal distribution function at the middles of equal parts, by bisection of its series. */
function normalQuantiles(count: number): number[] {
  const cumulative = (x: number) => {
    let [sum, term] = [x, x];
    for (let n = 1; n < 200; n++) {
      term *= (x * x) / (2 * n + 1);
      sum += term;
    }
    return 0.5 + (sum * Math.exp(-(x * x) / 2)) / Math.sqrt(2 * Math.PI);
  };
  return Array.from({ length: count }, (_, index) => {
    const wanted = (index + 0.5) / count;
    let [low, high] = [-5, 5];
    for (let step = 0; step < 50; step++) {
      const middle = (low + high) / 2;
      if (cumulative(middle) < wanted) low = middle;
      else high = middle;
    }
    return low;
  });
}

const QUANTILES = normalQuantiles(SHIFTS);

/** Slow noise of the frequency with this standard deviation (GHz): the envelope of fringes becomes a Gaussian. */
export function slowDephasing(deviation: (trial: Trial) => number) {
  return (once: MeasureOnce, trial: Trial): Dataset => {
    const size = deviation(trial);
    const { qubit } = trial;
    return average(
      QUANTILES.map((quantile) =>
        once({ qubit: { ...qubit, f01: qubit.f01 + size * quantile }, shotsPart: 1 / SHIFTS }),
      ),
    );
  };
}
