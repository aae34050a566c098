import type { Again } from './measuring-again.ts';
import type { ResolvedParameter } from './model.ts';
import { readNumber, sweepPoints } from './run-parameters.ts';

type Run = Readonly<Record<string, Pick<ResolvedParameter, 'value' | 'value_type'>>>;

/** Repetitions, and the time of each: a measurement takes as much longer as these grow. */
const LENGTHENING: readonly string[] = ['shots', 'interval'];

/** What a run parameter contributes to how long a measurement takes: points of a sweep, or shots; 1 for all else. */
function extentOf(name: string, parameter: Run[string] | undefined): number {
  if (parameter === undefined) return 1;
  if (LENGTHENING.includes(name)) {
    const number = readNumber(parameter.value);
    return number.ok && number.value > 0 ? number.value : 1;
  }
  const points = sweepPoints(parameter);
  return points.ok ? points.value.length : 1;
}

/** How many times as long as the pass before the next one takes, with the settings that are asked for. */
export function lengthOfNextPass(run: Run, { run: changes }: Pick<Again, 'run'>): number {
  return Object.entries(changes).reduce(
    (length, [name, changed]) =>
      // Settings that a task does not have are left out of its next pass.
      Object.hasOwn(run, name) ? (length * extentOf(name, changed)) / extentOf(name, run[name]) : length,
    1,
  );
}
