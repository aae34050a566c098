import { z } from 'zod';
import { CalibronError } from '../../kernel/errors.ts';
import { type TaskDefinition, taskType } from '../../tasks/model.ts';
import { type JsonValue, type RunParameterValue, runParameterValue } from '../flows/model.ts';

export const detailParameter = z.object({
  unit: z.string(),
  value_type: z.string(),
  value: runParameterValue
    .nullable()
    .describe('The default; a sweep has three numbers. Null where there is none.'),
  description: z.string(),
});

/** A task as menus describe it: its run parameters and inputs are one list. */
export const taskDetail = z
  .object({
    name: z.string(),
    backend: z.string().nullable(),
    description: z.string(),
    task_type: taskType,
    input_parameters: z.record(z.string(), detailParameter),
    output_parameters: z.record(z.string(), detailParameter),
  })
  .meta({ id: 'TaskDetail' });
export type TaskDetail = z.infer<typeof taskDetail>;

/** A catalog task as menus describe it. */
export function taskDetailOf(task: TaskDefinition, backend: string | null = null): TaskDetail {
  const settings = Object.entries(task.runParameters).map(
    ([name, { unit, valueType, value, description }]) =>
      [name, { unit, value_type: valueType, value: copied(value), description }] as const,
  );
  const inputs = Object.entries(task.inputs).map(
    ([name, { unit, valueType, fallback, description }]) =>
      [name, { unit, value_type: valueType, value: fallback ?? null, description }] as const,
  );
  const outputs = Object.entries(task.outputs).map(
    ([name, { unit, valueType, description }]) =>
      [name, { unit, value_type: valueType, value: null, description }] as const,
  );
  return {
    name: task.name,
    backend,
    description: task.description,
    task_type: task.taskType,
    input_parameters: Object.fromEntries([...inputs, ...settings]),
    output_parameters: Object.fromEntries(outputs),
  };
}

const copied = (value: TaskDefinition['runParameters'][string]['value']): RunParameterValue | null =>
  typeof value === 'object' && value !== null ? [...value] : value;

const givenDetail = z.object({
  input_parameters: z.record(z.string(), z.looseObject({ value: z.unknown() })).nullish(),
});

/**
 * The run parameters that a menu's detail sets to other values than the catalog. Inputs in the detail are ignored,
 * because they come from calibration state.
 * @throws bad_request for a value that is invalid for its run parameter
 */
export function changedRunParameters(
  task: Pick<TaskDefinition, 'name' | 'runParameters'>,
  detail: JsonValue | undefined,
): Record<string, RunParameterValue> {
  const given = givenDetail.safeParse(detail).data?.input_parameters ?? {};
  const changed: Record<string, RunParameterValue> = {};
  for (const [name, { value: usual }] of Object.entries(task.runParameters)) {
    const value = Object.hasOwn(given, name) ? given[name]?.value : undefined;
    if (value === undefined || value === null || JSON.stringify(value) === JSON.stringify(usual)) continue;
    const read = runParameterValue.safeParse(value);
    if (!read.success) {
      throw new CalibronError(
        'bad_request',
        `The menu sets ${name} of ${task.name} to what is neither a number, a text, true, false nor a list of these.`,
      );
    }
    changed[name] = read.data;
  }
  return changed;
}
