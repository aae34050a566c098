/**
 * Targets as operators read them; the engine limits a summary to 400 bytes. Of those under way at once no two have the
 * same: a target is measured by one activity at a time.
 */
export function labelOf(targets: readonly string[]): string {
  return targets.length > 4 ? `${targets[0]} and ${targets.length - 1} more` : targets.join(', ');
}
