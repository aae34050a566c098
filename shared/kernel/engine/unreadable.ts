/** The error text that the payload converter put in place of an unreadable payload; null for any other value. */
export function unreadableReason(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !('__calibron_unreadable' in value)) return null;
  return String(value.__calibron_unreadable);
}
