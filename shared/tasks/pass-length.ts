import type { ResolvedParameter } from './model.ts';
import type { NextPassSettings } from './next-pass.ts';
import { readNumber, sweepPoints } from './run-parameters.ts';

type Run = Readonly<Record<string, Pick<ResolvedParameter, 'value' | 'value_type'>>>;

/** Repetitions and the time of each: the duration of a measurement is proportional to both. */
const LENGTHENING: readonly string[] = ['shots', 'interval', 'n_trials'];

/** Factor of a run parameter in the duration of a measurement: points of a sweep, or shots; 1 for all others. */
function extentOf(name: string, parameter: Run[string] | undefined): number {
  if (parameter === undefined) return 1;
  if (LENGTHENING.includes(name)) {
    const number = readNumber(parameter.value);
    return number.ok && number.value > 0 ? number.value : 1;
  }
  const points = sweepPoints(parameter);
  return points.ok ? points.value.length : 1;
}

/** Duration of the next pass with the requested settings, relative to the previous one. */
export function lengthOfNextPass(run: Run, { run: changes }: Pick<NextPassSettings, 'run'>): number {
  return Object.entries(changes).reduce(
    (length, [name, changed]) =>
      // Settings that the task does not have are ignored.
      Object.hasOwn(run, name) ? (length * extentOf(name, changed)) / extentOf(name, run[name]) : length,
    1,
  );
}
