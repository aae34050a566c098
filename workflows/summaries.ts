/**
 * Text for targets in the Temporal UI. The engine limits a summary to 400 bytes. Texts of measurements in flight are unique,
 * because a target is measured by one activity at a time.
 */
export function labelOf(targets: readonly string[]): string {
  return targets.length > 4 ? `${targets[0]} and ${targets.length - 1} more` : targets.join(', ');
}
