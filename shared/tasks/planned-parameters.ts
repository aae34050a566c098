import type { TaskDefinition } from './model.ts';

/** A run parameter of a plan. Its text is the catalog's; one that the catalog did not declare has none. */
interface PlannedParameter {
  description: string;
}

type Declaring = Pick<TaskDefinition, 'runParameters'>;

/**
 * Run parameters of a plan that this release no longer declares: another release planned with them, and has renamed or removed
 * them since, or added them. Those that were never declared, and are for a lab's backend, do not count.
 */
export function undeclaredParameters(
  { runParameters }: Declaring,
  planned: Readonly<Record<string, PlannedParameter>>,
): string[] {
  return Object.entries(planned)
    .filter(([name, { description }]) => description !== '' && !Object.hasOwn(runParameters, name))
    .map(([name]) => name);
}

/** Run parameters that this release declares and a plan of an earlier one lacks, with the catalog's values. */
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
