import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import type { AnalysedInput } from '../common/analysis/model.ts';
import { detuningLimits } from '../common/definition/limits.ts';
import { numberOf } from '../common/parameters.ts';
import type { NextPassSettings } from '../next-pass.ts';

/**
 * Maximum difference of both values in errors, and the fraction of the known value by which tuning the qubit changes
 * it.
 */
const LARGEST_DEVIATION = 5;
const MOVED = 0.01;
/**
 * Accepted multiples of the known value. A map of the qubit may have confused f02/2 and f12, so half and twice the
 * value are accepted.
 */
const PASSING = [0.5, 1, 2];

/** The earlier measured value; undefined if there is none. A value set by a user is an estimate without an error. */
function measuredBefore(known: AnalysedInput | undefined): Estimate | undefined {
  const value = numberOf(known);
  const error = known?.error;
  return value === undefined || typeof error !== 'number' ? undefined : { value, error };
}

/** Maximum difference of a value from a multiple of the known value. */
function reachAround(factor: number, before: Estimate, error: number): number {
  return (
    LARGEST_DEVIATION * Math.hypot(error, factor * before.error) + MOVED * Math.abs(factor * before.value)
  );
}

function agrees({ value, error }: Estimate, before: Estimate): boolean {
  return PASSING.some(
    (factor) => Math.abs(value - factor * before.value) < reachAround(factor, before, error),
  );
}

/**
 * A message if the line contradicts the known anharmonicity, which is fixed by the capacitances of a chip; otherwise
 * null. Then the line is another one, or the points are not in the stated order.
 */
export function contradiction(found: Estimate, known: AnalysedInput | undefined): string | null {
  const before = measuredBefore(known);
  if (before === undefined || agrees(found, before)) return null;
  return `the line gives an anharmonicity of ${estimateText(found, 'GHz')}, but ${estimateText(before, 'GHz')} is known: it may be another line, or the points are not in the order of the sweep; set the known value if it is wrong`;
}

/** Relative difference of the steps above which a sweep does not count as evenly spaced. */
const EVEN = 1e-3;

/**
 * Requests a sweep with another middle if the line is so close to the middle that it would also agree with the known
 * anharmonicity if the points were stored in reverse. With the other middle, only the correct order agrees. Null if the
 * order is already certain, or if no sweep would show it.
 *
 * @param distances the sweep, as distances from the frequency of the qubit
 */
export function withAnotherMiddle(
  distances: readonly number[],
  found: Estimate,
  known: AnalysedInput | undefined,
): NextPassSettings | null {
  const before = measuredBefore(known);
  const [from, to] = [Math.min(...distances), Math.max(...distances)];
  const step = (to - from) / (distances.length - 1);
  const mirrored = { ...found, value: from + to - found.value };
  const apart = Math.abs(mirrored.value - found.value);
  if (before === undefined || !isEven(distances) || !agrees(mirrored, before)) return null;
  const more = step * Math.ceil((2 * reachAround(1, before, found.error) + apart) / step);
  // If a sweep is extended on one side by this much, a line in a reversed sweep appears shifted by the same amount.
  const sides = [
    { from: from - more, to, moved: -more },
    { from, to: to + more, moved: more },
  ];
  const side = sides.find(
    ({ from: lowest, to: highest, moved }) =>
      lowest >= (detuningLimits.minimum ?? -Infinity) &&
      highest <= (detuningLimits.maximum ?? Infinity) &&
      [found, mirrored].every(({ value, error }) => !agrees({ value: value + moved, error }, before)),
  );
  if (side === undefined) return null;
  const value = [side.from, side.to + step / 2, step].map((each) => Number(each.toPrecision(9)));
  return {
    run: { distance_range: { value, value_type: 'np.arange' } },
    reason:
      'the line would agree with the known anharmonicity also if the points were stored backwards, which a sweep with another middle shows',
  };
}

function isEven(distances: readonly number[]): boolean {
  const step = ((distances.at(-1) ?? 0) - (distances[0] ?? 0)) / (distances.length - 1);
  return distances
    .slice(1)
    .every((distance, index) => Math.abs(distance - (distances[index] ?? 0) - step) < EVEN * Math.abs(step));
}
