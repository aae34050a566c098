/** Steps that finish a measurement: dates it by our own clocks. Called by analysing.ts. */
import { DateTime } from 'luxon';

/** Clock differences below this many milliseconds are not reported, because measurements are dated to the second. */
const WORTH_MENTIONING = 2000;

/** Start and end of a measurement as its backend reports them, in ISO 8601. A time without an offset is UTC. */
export interface ReportedTimes {
  started_at?: string | undefined;
  finished_at?: string | undefined;
}

/** Start and end of a measurement by Calibron's own clocks. */
export interface ObservedTimes {
  start_at: Date | null;
  end_at: Date;
  /**
   * Least number of milliseconds by which the backend's clock is ahead of ours, negative if it is behind; 0 if the reported times
   * are plausible.
   */
  offset: number;
  /** The times that the backend reported; empty if it reported no valid time. */
  reported: { backend_started_at?: string; backend_finished_at?: string };
}

/**
 * Places a measurement between its request and its answer, both by our own clock, so that the order of results does not depend
 * on the backend's clock. The reported times are shifted together by the least amount that fits them between the two: their
 * difference, the duration, is right even if the clock is wrong.
 *
 * @param window when the measurement was requested (null if unknown) and answered
 */
export function observedTimes(
  reported: ReportedTimes,
  window: { requested: Date | null; answered: Date },
): ObservedTimes {
  const [started, finished] = [timeOf(reported.started_at), timeOf(reported.finished_at)];
  const answered = window.answered.getTime();
  const requested = Math.min(window.requested?.getTime() ?? Number.NEGATIVE_INFINITY, answered);
  const given = {
    ...(started !== null && { backend_started_at: new Date(started).toISOString() }),
    ...(finished !== null && { backend_finished_at: new Date(finished).toISOString() }),
  };
  const first = started ?? finished;
  if (first === null) return { start_at: null, end_at: window.answered, offset: 0, reported: given };
  const last = Math.max(first, finished ?? first);
  const ahead = Math.max(0, last - answered);
  const behind = Math.min(0, first - requested);
  const offset = ahead > 0 ? ahead : behind;
  const within = (time: number) => new Date(Math.min(Math.max(time - offset, requested), answered));
  return {
    start_at: started === null ? null : within(started),
    end_at: finished === null ? window.answered : within(last),
    offset,
    reported: given,
  };
}

/** The part of the task's message about the backend's clock; null if the clock is right. */
export function clockRemark(offset: number): string | null {
  if (Math.abs(offset) < WORTH_MENTIONING) return null;
  const seconds = Math.round(Math.abs(offset) / 1000);
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'min'],
    [seconds % 60, 's'],
  ] as const;
  const text = parts.flatMap(([count, unit]) => (count > 0 ? [`${count} ${unit}`] : [])).join(' ');
  return `The clock of its backend is ${text} ${offset > 0 ? 'ahead of' : 'behind'} ours.`;
}

function timeOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const time = DateTime.fromISO(text, { zone: 'utc' });
  return time.isValid ? time.toMillis() : null;
}
