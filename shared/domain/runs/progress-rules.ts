/** Progress of a run. Pure: workflows import this file. */

/** Estimated end of the remaining tasks at the pace so far; null while none has settled, and when none remains. */
export function estimatedEnd(pace: { settled: number; total: number; since: Date; now: Date }): Date | null {
  const { settled, total, since, now } = pace;
  if (settled <= 0 || settled >= total) return null;
  const perTask = Math.max(0, now.getTime() - since.getTime()) / settled;
  return new Date(now.getTime() + perTask * (total - settled));
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
