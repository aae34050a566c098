import type { MetricMeter } from '@temporalio/common';
import type { RecordCounts } from '../activities/record/dependencies.ts';

export type MeasurementCounts = ReturnType<typeof countMeasurements>;

/**
 * Counts how the measurements that this process records ended, and remembers when each backend answered last.
 * @param backend backend whose series exist from the start, so that the first failure already counts as an increase
 */
export function countMeasurements(meter: MetricMeter, backend: string, now: () => number = Date.now) {
  const tasks = meter.createCounter(
    'calibron_tasks_ended',
    undefined,
    'Measurements that ended: completed, refused because of their values, or failed for another reason.',
  );
  for (const outcome of ['completed', 'refused', 'failed']) tasks.add(0, { backend, outcome });
  const answeredAt = new Map<string, number>();
  return {
    answered: (by) => void answeredAt.set(by, now()),
    ended: (by, outcome) => tasks.add(1, { backend: by, outcome }),
    /** Time of the last answer in milliseconds; undefined if this process has seen none. */
    lastAnswer: (by: string) => answeredAt.get(by),
  } satisfies RecordCounts & { lastAnswer(backend: string): number | undefined };
}
