import { DateTime } from 'luxon';

/** Milliseconds by which a backend's clock may differ without the task saying so: measurements are dated to the second. */
const WORTH_MENTIONING = 2000;

/** When a measurement began and ended as a backend reports it, ISO; a time without an offset counts as UTC. */
export interface ReportedTimes {
  started_at?: string | undefined;
  finished_at?: string | undefined;
}

/** When a measurement was made, by our own clocks. */
export interface ObservedTimes {
  start_at: Date | null;
  end_at: Date;
  /**
   * Milliseconds by which the backend's clock is ahead of ours at least, negative when it is behind; 0 when the times it
   * reports are possible.
   */
  offset: number;
  /** What the backend reported, kept beside. Empty where it reported nothing that is a time. */
  reported: { backend_started_at?: string; backend_finished_at?: string };
}

/**
 * Places a measurement between the request and its answer, both by our own clock, so that a backend's clock orders
 * nothing. Times that a backend reports are shifted together by the least amount with which they fit in between: their
 * distance, the duration, is right whatever the clock says.
 *
 * @param window when the measurement was requested, null where that is not known, and when it was answered
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

/** What a task says of its backend's clock; null when that is right. */
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
