/** A part of an address as text; undefined for an empty one. Numbers in an address are read as numbers. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
