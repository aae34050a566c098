import type { GateRule } from './gates.ts';
import type { ResolvedParameter, ResolvedParameters, TaskDefinition } from './model.ts';
import { type NextPassSettings, runOfNextPass } from './next-pass.ts';
import { runOptionProblems } from './run-options.ts';
import { readNumber } from './run-parameters.ts';

/** Factor on the shots of a measurement that was lost in noise. It halves the noise. */
const MORE_SHOTS = 4;
/** Maximum number of suggested shots. With the usual interval they take 15 s for each point. */
const MAX_SHOTS = 100_000;

type Run = Readonly<Record<string, Pick<ResolvedParameter, 'value' | 'value_type'>>>;

/** The same measurement with more shots; undefined if it has no shots or enough of them. */
export function moreShots(
  run: Run,
  reason: string,
  { factor = MORE_SHOTS, most = MAX_SHOTS }: { factor?: number; most?: number } = {},
): NextPassSettings | undefined {
  const shots = readNumber(run.shots?.value);
  if (!shots.ok || !(shots.value > 0) || factor * shots.value > most) return undefined;
  return { run: { shots: { value: factor * shots.value, value_type: 'int' } }, reason };
}

/** The same measurement with a linear sweep of twice the range and the same steps; undefined for other sweeps. */
export function widerSweep(run: Run, name: string, reason: string): NextPassSettings | undefined {
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

/** A refused result: the gate that it failed, and the settings that its analysis requests or suggests. */
export interface RefusedResult {
  rule: GateRule;
  again?: NextPassSettings | undefined;
  suggestion?: NextPassSettings | undefined;
}

/**
 * The run parameters with which a refused task may succeed: those that its analysis requests, or more shots if its fit
 * is not good enough, such as that of a backend with its own analysis. Null if no other settings within the catalog's
 * bounds would help.
 */
export function suggestedRun(
  task: Pick<TaskDefinition, 'name' | 'runParameters'>,
  run: ResolvedParameters,
  { rule, again, suggestion }: RefusedResult,
): NextPassSettings | null {
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
