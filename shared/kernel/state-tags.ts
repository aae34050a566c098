import { entityTagOf } from './preconditions.ts';
import { SERVICE_VERSION } from './service-version.ts';

/**
 * The entity tag of an answer that is too large to be made for each comparison.
 * @param state what identifies the content of the answer. Another release may show the same content differently, so its tags
 *   differ.
 */
export function entityTagOfState(...state: readonly unknown[]): string {
  return entityTagOf([SERVICE_VERSION, ...state]);
}
