/** Progress of a run. Pure: workflows import this file. */

/** Estimated end of the remaining tasks at the pace so far; null while none has settled, and when none remains. */
export function estimatedEnd(pace: { settled: number; total: number; since: Date; now: Date }): Date | null {
  const { settled, total, since, now } = pace;
  if (settled <= 0 || settled >= total) return null;
  const perTask = Math.max(0, now.getTime() - since.getTime()) / settled;
  return new Date(now.getTime() + perTask * (total - settled));
}

/** Milliseconds, and part of the remaining time, by which an estimate may be off before another one is shown. */
const STEADY = { milliseconds: 5000, part: 0.1 };

/**
 * The estimated end to show. While nothing settles, the estimate moves with the clock; listeners would hear of each look.
 * @param shown the end that is shown so far
 * @param found the newest estimate
 */
export function steadyEnd(shown: Date | null, found: Date | null, now: Date): Date | null {
  if (shown === null || found === null) return found;
  const tolerance = Math.max(STEADY.milliseconds, STEADY.part * Math.abs(found.getTime() - now.getTime()));
  return Math.abs(found.getTime() - shown.getTime()) < tolerance ? shown : found;
}

/**
 * Answer of the `progress` query of a run or a stage. A run counts only finished stages; for the current stage, query the
 * workflow `open_stage`.
 */
export interface RunProgress {
  stage: string | null;
  open_stage: string | null;
  done: number;
  failed: number;
  skipped: number;
  total: number;
  waiting_for: string | null;
}
