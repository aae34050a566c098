import type { TaskDefinition } from './model.ts';

/** A run parameter of a plan. It has a description only if the catalog declared it. */
interface PlannedParameter {
  description: string;
}

type Declaring = Pick<TaskDefinition, 'runParameters'>;

/**
 * Run parameters of a plan that this release does not declare: the plan was made by another release, and the parameters
 * were renamed, removed or added in between. Parameters for a lab's backend, which no release declared, do not count.
 */
export function undeclaredParameters(
  { runParameters }: Declaring,
  planned: Readonly<Record<string, PlannedParameter>>,
): string[] {
  return Object.entries(planned)
    .filter(([name, { description }]) => description !== '' && !Object.hasOwn(runParameters, name))
    .map(([name]) => name);
}

/** Run parameters that this release declares and the plan of an earlier release lacks, with the catalog's values. */
export function addedParameters(
  { runParameters }: Declaring,
  planned: Readonly<Record<string, PlannedParameter>>,
) {
  return Object.fromEntries(
    Object.entries(runParameters)
      .filter(([name]) => !Object.hasOwn(planned, name))
      .map(([name, { value, valueType, unit, description }]) => {
        const own = typeof value === 'object' && value !== null ? [...value] : value;
        return [name, { value: own, value_type: valueType, unit, description }];
      }),
  );
}
