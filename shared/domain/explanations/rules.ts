import type { ParameterVersion } from '../provenance/model.ts';
import type { TaskResultDocument } from '../results/model.ts';
import type { ExplainedInput } from './model.ts';

/** The inputs of a task, each with its version if it was one. */
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

/** The inputs of an activity without a task result, for which only the versions are known. */
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
