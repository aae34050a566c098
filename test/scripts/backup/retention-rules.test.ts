import { expect, test } from 'vitest';
import { outdatedBackups } from '../../../scripts/backup/retention-rules.ts';

/** Backups of these times, named by them. */
const at = (...times: string[]) =>
  times.map((time) => ({
    name: time,
    takenAt: new Date(time.includes('T') ? `${time}Z` : `${time}T03:00Z`),
  }));

test('the newest of each day and of each week is kept', () => {
  const backups = at(
    '2026-11-02', // a Monday
    '2026-11-08',
    '2026-11-09',
    '2026-11-14',
    '2026-11-25T01:00',
    '2026-11-25T23:00',
    '2026-11-26T01:00',
    '2026-11-26T02:00',
  );
  expect(outdatedBackups(backups, { daily: 2, weekly: 3 }).sort()).toEqual([
    '2026-11-02',
    '2026-11-09',
    '2026-11-25T01:00',
    '2026-11-26T01:00',
  ]);
});

test('days without a backup do not count', () => {
  const backups = at('2026-01-01', '2026-05-05', '2026-11-26');
  expect(outdatedBackups(backups, { daily: 2, weekly: 0 })).toEqual(['2026-01-01']);
});

test('the newest backup is kept in any case', () => {
  expect(outdatedBackups(at('2026-11-25', '2026-11-26'), { daily: 0, weekly: 0 })).toEqual(['2026-11-25']);
  expect(outdatedBackups([], { daily: 7, weekly: 4 })).toEqual([]);
});
