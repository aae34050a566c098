import { CalibronError } from './errors.ts';

/** An upper limit on the number of things of one kind. */
export interface Quota {
  /** The owner, as the start of a sentence: "This project". */
  holder: string;
  /** The counted things, in the plural: "schedules". */
  things: string;
  /** Maximum number. Operators change it with `setting`. */
  limit: number;
  setting: Uppercase<string>;
  /** What the caller can do about it. */
  remedy?: string;
}

/**
 * Must be called before another one is created. Concurrent requests may all pass the check.
 * @param count current number
 * @throws quota_exceeded
 */
export function assertRoomWithin(quota: Quota, count: number): void {
  const { holder, things, limit, setting, remedy = 'Delete what is not needed' } = quota;
  if (count < limit) return;
  throw new CalibronError(
    'quota_exceeded',
    `${holder} has ${count} ${things}; the limit is ${limit}. ${remedy}, or ask an operator to raise ${setting}.`,
  );
}
