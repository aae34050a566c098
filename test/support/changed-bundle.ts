import { expect } from 'vitest';

/**
 * The code of a workflow bundle with one change, as a release would make it.
 * @param from text of the compiled code that occurs exactly once
 */
export function changedBundle(code: string, from: string, to: string): string {
  expect(code.split(from), `the bundle holds "${from}" once`).toHaveLength(2);
  return code.replace(from, () => to);
}
