import { isWithin } from '../../tasks/bounds.ts';
import type { Bounds, TaskDefinition } from '../../tasks/model.ts';
import type { ParameterVersion } from '../provenance/model.ts';
import type { TaskResultDocument } from '../results/model.ts';
import type { ExplainedInput, GateResult } from './model.ts';

type Judged = Pick<ParameterVersion, 'parameter_name' | 'value' | 'unit'>;

/** What the rules for outputs of a task say of one value. A rule that does not apply is left out. */
export function gateResults(
  { parameter_name, value, unit }: Judged,
  definition: Pick<TaskDefinition, 'r2Threshold' | 'outputs'>,
  r2: number | null,
): GateResult[] {
  if (typeof value !== 'number') return [];
  const shown = `${value} ${unit}`.trim();
  const bounds = definition.outputs[parameter_name]?.bounds;
  const { r2Threshold } = definition;
  return [
    { rule: 'finite', passed: Number.isFinite(value), detail: `${shown} is a finite number.` },
    ...(parameter_name.includes('fidelity')
      ? [
          {
            rule: 'fidelity' as const,
            passed: value >= 0 && value <= 1,
            detail: `${shown}: a fidelity lies in 0 to 1.`,
          },
        ]
      : []),
    ...(r2Threshold !== null && r2 !== null
      ? [
          {
            rule: 'r2' as const,
            passed: r2 > r2Threshold,
            detail: `r2 of the fit is ${r2}; it must be above ${r2Threshold}.`,
          },
        ]
      : []),
    ...(bounds ? [boundsResult(value, shown, bounds)] : []),
  ];
}

function boundsResult(value: number, shown: string, bounds: Bounds): GateResult {
  const { minimum, maximum, exclusiveMinimum } = bounds;
  const rules = [
    ...(minimum === undefined ? [] : [`${exclusiveMinimum ? 'above' : 'at least'} ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
  ];
  return {
    rule: 'bounds',
    passed: isWithin(value, bounds),
    detail: `${shown}; it must be ${rules.join(' and ')}.`,
  };
}

/** The inputs of a task, each with the version that its value was, if it was one. */
export function explainedInputs(
  task: Pick<TaskResultDocument, 'input_parameters'>,
  used: readonly ParameterVersion[],
): ExplainedInput[] {
  return Object.entries(task.input_parameters).map(([name, stored]) => {
    const { parameter_name, execution_id, task_id } = stored;
    const origin = used.find(
      (version) =>
        version.parameter_name === (parameter_name || name) &&
        version.execution_id === execution_id &&
        version.task_id === task_id,
    );
    return {
      name,
      parameter_name: parameter_name || name,
      value: stored.value,
      unit: stored.unit,
      error: stored.error ?? null,
      source: stored.source ?? null,
      calibrated_at: stored.calibrated_at ?? null,
      origin: origin ?? null,
    };
  });
}

/** The inputs of an activity without a task result: only the versions are known. */
export function versionsAsInputs(used: readonly ParameterVersion[]): ExplainedInput[] {
  return used.map((version) => ({
    name: version.parameter_name,
    parameter_name: version.parameter_name,
    value: version.value,
    unit: version.unit,
    error: version.error,
    source: null,
    calibrated_at: version.valid_from,
    origin: version,
  }));
}
