import type { Settings } from './config.ts';
import { CalibronError } from './errors.ts';

type NumberSetting = {
  [Name in keyof Settings]: Settings[Name] extends number ? Name : never;
}[keyof Settings];

/** The most that there may be of something. */
export interface Quota {
  /** Who has them, as a sentence begins: "This project". */
  holder: string;
  /** What is counted, in the plural: "schedules". */
  things: string;
  /** How many there may be; operators set it by `setting`. */
  limit: number;
  setting: NumberSetting;
  /** What the caller can do about it. */
  remedy?: string;
}

/**
 * To be asked before one more is made; requests that ask at the same moment may all be let through.
 * @param count how many there are
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
