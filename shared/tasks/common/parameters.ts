import type { ResolvedParameter } from '../model.ts';

/** The number that a parameter holds, if it is one. */
export function numberOf(parameter: ResolvedParameter | undefined): number | undefined {
  return typeof parameter?.value === 'number' && Number.isFinite(parameter.value)
    ? parameter.value
    : undefined;
}
