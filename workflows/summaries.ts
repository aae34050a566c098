/**
 * Text for targets in the Temporal UI. The engine limits a summary to 400 bytes. Texts of measurements in flight are unique,
 * because a target is measured by one activity at a time.
 */
export function labelOf(targets: readonly string[]): string {
  return targets.length > 4 ? `${targets[0]} and ${targets.length - 1} more` : targets.join(', ');
}

/** The id of a measurement within its stage. */
export function measurementId({
  task_name,
  targets,
}: {
  task_name: string;
  targets: readonly string[];
}): string {
  return `${task_name} · ${labelOf(targets)}`;
}

/** The activity id of an attempt at a measurement. */
export function attemptId(measurement: string, attempt: number): string {
  return `${measurement} · ${attempt}`;
}

/** The measurement of such an activity id. */
export function measurementOfAttempt(activityId: string): string {
  return activityId.slice(0, activityId.lastIndexOf(' · '));
}
