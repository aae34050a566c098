import type { Dataset } from '../datasets/model.ts';

/**
 * The mean of averaged datasets of the same shape: the dataset of a measurement with equal numbers of shots of each
 * kind.
 */
export function averageOf(parts: readonly Dataset[]): Dataset {
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

/** Number of equally likely parts of a normal distribution. */
const SHIFTS = 24;

/** Quantiles of the normal distribution at the middles of equally likely parts, by bisection of its series. */
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

/** Medians of equally likely parts of a standard normal distribution. */
export const NORMAL_PARTS: readonly number[] = normalQuantiles(SHIFTS);
