/** When a worker counts as connected, and when it is asked to describe itself. */
import type { BackendWorkerDocument } from './model.ts';

/** Milliseconds after which a worker that was not seen is gone. A round of looks takes 15 s, and one may be missed. */
const GONE_AFTER = 45_000;
/** Milliseconds between two descriptions of a worker. */
const DESCRIBED_EVERY = 60_000;
/** Milliseconds after which a worker that could not describe itself is asked again. */
const ASKED_AGAIN_AFTER = 3_600_000;
/** Maximum number of workers of a backend that are asked at once. */
const ASKED_AT_ONCE = 8;

type Seen = Pick<BackendWorkerDocument, 'seen_at' | 'described_at' | 'description' | 'measuring'>;

export function isConnected({ seen_at }: Pick<Seen, 'seen_at'>, now: Date): boolean {
  return now.getTime() - seen_at.getTime() < GONE_AFTER;
}

/** Before this time a worker that was last seen is gone. */
export function goneBefore(now: Date): Date {
  return new Date(now.getTime() - GONE_AFTER);
}

/** Number of descriptions to ask of a backend's queue. A worker that has no free place could not answer. */
export function dueDescriptions(workers: readonly Seen[], now: Date): number {
  const due = workers.filter((worker) => isConnected(worker, now) && isDue(worker, now));
  return Math.min(due.length, ASKED_AT_ONCE);
}

function isDue({ described_at, description, measuring }: Seen, now: Date): boolean {
  if (measuring.length >= (description?.at_once ?? 1)) return false;
  if (described_at === null) return true;
  const interval = description === null ? ASKED_AGAIN_AFTER : DESCRIBED_EVERY;
  // A look that comes a little early must not skip a whole interval.
  return now.getTime() - described_at.getTime() >= interval - 1000;
}
