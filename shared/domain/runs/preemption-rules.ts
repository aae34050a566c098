/** Which runs may use the chip between the measurements of a long run, and for how long. No I/O: workflows import this file. */
import type { PreemptionPolicy } from './run-model.ts';

const HOUR = 3_600_000;
/** Seconds that must be left for a run to begin: enough for a short measurement. */
const MIN_SECONDS = 10;

/** A span of time in milliseconds since 1970. */
export interface LentSpan {
  from: number;
  to: number;
}

/** Seconds of the last hour that are left for runs in between. */
export function secondsLeft(
  { seconds_per_hour }: PreemptionPolicy,
  lent: readonly LentSpan[],
  now: number,
): number {
  const used = lent.reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, now - HOUR)), 0);
  return Math.max(0, seconds_per_hour - used / 1000);
}

/** Why a run may not use the chip in between; null if it may. */
export function preemptionProblem(
  policy: PreemptionPolicy,
  asked: { priority: number; lent: readonly LentSpan[]; lentTo: string | null; now: number },
): string | null {
  if (asked.priority <= policy.priority) {
    return `its priority is ${policy.priority}, so only a run with a higher one may use the chip in between`;
  }
  if (asked.lentTo !== null) return `execution ${asked.lentTo} uses the chip in between`;
  if (secondsLeft(policy, asked.lent, asked.now) >= MIN_SECONDS) return null;
  return `other runs have used the chip in between for the ${policy.seconds_per_hour} s of an hour that they may`;
}
