/** The sentence that the payload converter left in place of a payload it could not read, else null. */
export function unreadableReason(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !('__calibron_unreadable' in value)) return null;
  return String(value.__calibron_unreadable);
}
