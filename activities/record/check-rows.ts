/** Steps prepare and finish_and_continue: what a check measures on its target. Used by row-making.ts. */
import type { StoredRunParameter, TaskCheck } from '../../shared/domain/results/model.ts';
import { converted, unitConversion } from '../../shared/science/conventions/unit-table.ts';
import { planCheck } from '../../shared/tasks/check-planning.ts';
import { checkOf, noCheckForm } from '../../shared/tasks/checks.ts';
import type { TaskDefinition } from '../../shared/tasks/model.ts';
import type { Task } from './plans.ts';
import type { KnownTarget, ResolvedInputs } from './preparing.ts';

type Run = Record<string, StoredRunParameter>;

/** Run parameters of a check, and what it compares. */
export interface PreparedCheck {
  run: Run;
  check: TaskCheck;
}

/**
 * Plans the check of a target by its calibration state.
 * @returns null for a task that is not a check; a message if the target cannot be checked
 */
export function prepareCheck(
  { definition, planned }: Task,
  known: KnownTarget,
  { run, values }: { run: Run; values: ResolvedInputs['values'] },
): PreparedCheck | string | null {
  if (planned.check === undefined) return null;
  const { tolerances, repeated } = planned.check;
  if (repeated !== undefined) {
    const compared = Object.entries(repeated).map(([name, of]) => [
      name,
      { ...of, found: null, error: null },
    ]);
    return { run, check: { outcome: null, reason: '', values: Object.fromEntries(compared) } };
  }
  const form = checkOf(definition.name);
  if (form === undefined) return noCheckForm(definition.name);
  const plan = planCheck(form, {
    run,
    inputs: values,
    values: knownValues(definition, known, values),
    tolerances,
  });
  if (typeof plan === 'string') {
    return `${definition.name} cannot be checked on target ${known.qid}: ${plan}`;
  }
  const further = Object.entries(plan.run).map(([name, setting]) => [
    name,
    { unit: '', description: '', ...run[name], ...setting },
  ]);
  const compared = Object.entries(plan.values).map(([name, expected]) => [
    name,
    { ...expected, found: null, error: null, unit: definition.outputs[name]?.unit ?? '' },
  ]);
  return {
    run: { ...run, ...Object.fromEntries(further) },
    check: { outcome: null, reason: '', values: Object.fromEntries(compared) },
  };
}

/** Values of calibration state in the catalog's units; the measurement's own inputs come first. */
function knownValues(
  { outputs }: TaskDefinition,
  { data }: KnownTarget,
  inputs: ResolvedInputs['values'],
): Record<string, number> {
  const stored = Object.entries(data).flatMap(([name, { value, unit }]) => {
    if (typeof value !== 'number') return [];
    const conversion = unitConversion(unit ?? '', outputs[name]?.unit ?? unit ?? '');
    return 'problem' in conversion ? [] : [[name, converted(value, conversion.factor)] as const];
  });
  const used = Object.entries(inputs).flatMap(([name, { value }]) =>
    typeof value === 'number' ? [[name, value] as const] : [],
  );
  return Object.fromEntries([...stored, ...used]);
}
