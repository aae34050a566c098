import type { ResolvedParameter, ResolvedParameters, TaskDefinition } from './model.ts';
import { readNumber, sweepPoints } from './run-parameters.ts';

type Limits = Pick<TaskDefinition, 'inputs' | 'runParameters'>;

/** The input that limits a value, with the input's value. */
interface Limit {
  name: string;
  value: number;
}

function limitOf(limitedBy: string | undefined, inputs: ResolvedParameters): Limit | null {
  const value = limitedBy === undefined ? undefined : inputs[limitedBy]?.value;
  return limitedBy !== undefined && typeof value === 'number' ? { name: limitedBy, value } : null;
}

/** Relative tolerance of a limit, because numbers are rounded. */
const ROUNDING = 1e-12;

/** Whether the absolute value is within a limit, apart from rounding. */
export function isWithinLimit(value: number, limit: number): boolean {
  return Math.abs(value) <= limit * (1 + ROUNDING);
}

/** A sweep without points. */
const NOTHING = { value: [], value_type: 'list' };

/** Inputs whose absolute value exceeds their limit, each with the reason, such as `a (0.7, beyond b, which is 0.6)`. */
export function inputsBeyondLimits({ inputs: declared }: Limits, inputs: ResolvedParameters): string[] {
  return Object.entries(inputs).flatMap(([name, { value }]) => {
    const limit = limitOf(declared[name]?.limitedBy, inputs);
    return limit === null || typeof value !== 'number' || isWithinLimit(value, limit.value)
      ? []
      : [`${name} (${value}, beyond ${limit.name}, which is ${limit.value})`];
  });
}

/**
 * The run parameters within the limits set by a target's inputs: points of a sweep whose absolute value is larger are
 * removed. `problem` names a sweep without remaining points, with which nothing can be measured.
 */
export function runWithinLimits<Parameter extends ResolvedParameter>(
  { runParameters: declared }: Limits,
  run: Readonly<Record<string, Parameter>>,
  inputs: ResolvedParameters,
): { run: Record<string, Parameter>; problem: string | null } {
  const within: Record<string, Parameter> = {};
  let problem: string | null = null;
  for (const [name, parameter] of Object.entries(run)) {
    const limit = limitOf(declared[name]?.limitedBy, inputs);
    const cut = limit === null ? parameter : cutAt(limit.value, parameter);
    within[name] = cut ?? { ...parameter, ...NOTHING };
    if (limit !== null && cut === null) {
      problem = `no value of ${name} is within ${limit.name}, which is ${limit.value}`;
    }
  }
  return { run: within, problem };
}

/** A sweep in its original notation without the points beyond a limit; null if none is left. All sweeps are monotonic. */
function cutAt<Parameter extends ResolvedParameter>(limit: number, parameter: Parameter): Parameter | null {
  const points = pointsOf(parameter);
  const isWithin = (point: number) => isWithinLimit(point, limit);
  const first = points.findIndex(isWithin);
  const end = points.findLastIndex(isWithin) + 1;
  const [start, last] = [points[first], points[end - 1]];
  if (start === undefined || last === undefined) return null;
  if (points.every(isWithin)) return parameter;
  const step = (points[1] ?? start) - (points[0] ?? start);
  switch (parameter.value_type) {
    case 'np.linspace':
      return { ...parameter, value: [start, last, end - first] };
    case 'np.logspace':
      return { ...parameter, value: [Math.log10(start), Math.log10(last), end - first] };
    case 'np.arange':
      // The excluded end lies half a step behind the last point, so that rounding can neither include nor remove a point.
      return { ...parameter, value: [start, last + step / 2, step] };
    case 'range':
      return { ...parameter, value: [start, last + step, step] };
    default:
      return { ...parameter, value: points.filter(isWithin) };
  }
}

/** The points of a sweep, or a single value as the only point; empty if it is not a number. */
function pointsOf(parameter: ResolvedParameter): number[] {
  const points = sweepPoints(parameter);
  if (points.ok) return points.value;
  const number = readNumber(parameter.value);
  return number.ok ? [number.value] : [];
}
