import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import type { AnalysedInput } from '../common/analysis/model.ts';
import { detuningLimits } from '../common/definition/limits.ts';
import { numberOf } from '../common/parameters.ts';
import type { Again } from '../measuring-again.ts';

/** Errors by which both values may differ, and the part of the known one that moving the qubit changes. */
const LARGEST_DEVIATION = 5;
const MOVED = 0.01;
/** A map of the qubit may have taken f02/2 for f12 or the other way round, so twice and half of the known value pass. */
const PASSING = [0.5, 1, 2];

/** What was measured before; undefined if nothing was: what people set is an estimate, and has no error. */
function measuredBefore(known: AnalysedInput | undefined): Estimate | undefined {
  const value = numberOf(known);
  const error = known?.error;
  return value === undefined || typeof error !== 'number' ? undefined : { value, error };
}

/** By how much a value may differ from a multiple of the known one. */
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
 * That the line contradicts the known anharmonicity, which the capacitances of a chip fix: then another line is
 * seen, or the sweep is not in the order that it states.
 */
export function contradiction(found: Estimate, known: AnalysedInput | undefined): string | null {
  const before = measuredBefore(known);
  if (before === undefined || agrees(found, before)) return null;
  return `the line gives an anharmonicity of ${estimateText(found, 'GHz')} where ${estimateText(before, 'GHz')} is known: another line is seen, or the points are not in the order of the sweep; set the known value if it is wrong`;
}

/** Relative difference of the steps above which a sweep does not count as evenly spaced. */
const EVEN = 1e-3;

/**
 * A sweep with another middle, if the line lies so close to the middle that it would agree with the known anharmonicity also
 * if the points were stored backwards. With the other middle only the right order agrees. Null if the order is certain
 * already, or no sweep would show it.
 *
 * @param distances the sweep, as distances from the frequency of the qubit
 */
export function withAnotherMiddle(
  distances: readonly number[],
  found: Estimate,
  known: AnalysedInput | undefined,
): Again | null {
  const before = measuredBefore(known);
  const [from, to] = [Math.min(...distances), Math.max(...distances)];
  const step = (to - from) / (distances.length - 1);
  const mirrored = { ...found, value: from + to - found.value };
  const apart = Math.abs(mirrored.value - found.value);
  if (before === undefined || !isEven(distances) || !agrees(mirrored, before)) return null;
  const more = step * Math.ceil((2 * reachAround(1, before, found.error) + apart) / step);
  // A sweep that begins or ends further out by so much shows a line that is stored backwards further out as well.
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
