/** Errors of a disk that accepts no more data. Pure: workflows import this file. */

const REASONS = [
  { pattern: /ENOSPC|no space left on device|available disk space of \d+ bytes is less/i, reason: 'is full' },
  { pattern: /EDQUOT|quota exceeded/i, reason: 'has reached its quota' },
  { pattern: /EROFS|read-only file system/i, reason: 'is read-only' },
] as const;

/** What a disk is or has, as the continuation of "the disk"; null if the message is about something else. */
export function diskProblemOf(message: string): string | null {
  return REASONS.find(({ pattern }) => pattern.test(message))?.reason ?? null;
}
