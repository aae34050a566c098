import { sha256 } from '../../kernel/new-ids.ts';

/** Hash of a proposal. The order of its keys does not matter. */
export function fingerprintOf(...proposed: readonly unknown[]): string {
  return sha256(JSON.stringify(proposed, sorted));
}

function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
