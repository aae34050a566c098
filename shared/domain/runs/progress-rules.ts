/** How far a run is. Pure: workflows import this file. */

/**
 * When the rest will have ended if it goes as fast as what is settled; null while nothing is, and when nothing is
 * left.
 */
export function estimatedEnd(pace: { settled: number; total: number; since: Date; now: Date }): Date | null {
  const { settled, total, since, now } = pace;
  if (settled <= 0 || settled >= total) return null;
  const perTask = Math.max(0, now.getTime() - since.getTime()) / settled;
  return new Date(now.getTime() + perTask * (total - settled));
}

/**
 * Live answer of the `progress` query of a run or a stage. A run counts the stages that have ended; what the one
 * under way has done, the workflow `open_stage` answers.
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
