import type { ResolvedParameter } from '../model.ts';

/** The number in a parameter; undefined if it is not a number. */
export function numberOf(parameter: ResolvedParameter | undefined): number | undefined {
  return typeof parameter?.value === 'number' && Number.isFinite(parameter.value)
    ? parameter.value
    : undefined;
}
