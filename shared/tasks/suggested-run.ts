import type { GateRule } from './gates.ts';
import { type Again, runOfNextPass } from './measuring-again.ts';
import type { ResolvedParameter, ResolvedParameters, TaskDefinition } from './model.ts';
import { runOptionProblems } from './run-options.ts';
import { readNumber } from './run-parameters.ts';

/** Factor on the shots of a measurement that was lost in noise: it halves the noise. */
const MORE_SHOTS = 4;
/** More shots are not suggested: with the usual interval these take 15 s a point. */
const MAX_SHOTS = 100_000;

type Run = Readonly<Record<string, Pick<ResolvedParameter, 'value' | 'value_type'>>>;

/** The same measurement with more shots; undefined if it has no shots or enough of them. */
export function moreShots(
  run: Run,
  reason: string,
  { factor = MORE_SHOTS, most = MAX_SHOTS }: { factor?: number; most?: number } = {},
): Again | undefined {
  const shots = readNumber(run.shots?.value);
  if (!shots.ok || !(shots.value > 0) || factor * shots.value > most) return undefined;
  return { run: { shots: { value: factor * shots.value, value_type: 'int' } }, reason };
}

/** The same measurement with a linear sweep that goes twice as far, with the same steps; undefined for other sweeps. */
export function widerSweep(run: Run, name: string, reason: string): Again | undefined {
  const { value, value_type } = run[name] ?? {};
  if (!Array.isArray(value) || value_type === undefined) return undefined;
  const [start, stop, step] = value;
  if (typeof start !== 'number' || typeof stop !== 'number' || typeof step !== 'number') return undefined;
  const half = (stop - start) / 2;
  const [from, to] = [start - half, stop + half].map((end) => Number(end.toPrecision(12)));
  if (from === undefined || to === undefined) return undefined;
  const steps: Readonly<Record<string, number>> = {
    'np.linspace': 2 * step - 1,
    'np.arange': step,
    range: step,
  };
  const last = steps[value_type];
  return last === undefined
    ? undefined
    : { run: { [name]: { value: [from, to, last], value_type } }, reason };
}

/** A refused result: the gate that it failed, and what its analysis asks for or suggests. */
export interface RefusedResult {
  rule: GateRule;
  again?: Again | undefined;
  suggestion?: Again | undefined;
}

/**
 * The run parameters with which a refused task may succeed: what its analysis asks for, or more shots if its fit is not
 * good enough, as for a backend with its own analysis. Null if no other settings would help, or none within the catalog's
 * bounds.
 */
export function suggestedRun(
  task: Pick<TaskDefinition, 'name' | 'runParameters'>,
  run: ResolvedParameters,
  { rule, again, suggestion }: RefusedResult,
): Again | null {
  const asked =
    again ?? suggestion ?? (rule === 'r2' ? moreShots(run, 'its fit is not good enough') : undefined);
  if (asked === undefined) return null;
  const changes = Object.fromEntries(
    Object.entries(asked.run).filter(
      ([name, { value }]) =>
        Object.hasOwn(run, name) && JSON.stringify(value) !== JSON.stringify(run[name]?.value),
    ),
  );
  if (Object.keys(changes).length === 0) return null;
  const isAllowed = runOptionProblems(task, runOfNextPass(run, { run: changes })).length === 0;
  return isAllowed ? { run: changes, reason: asked.reason } : null;
}
