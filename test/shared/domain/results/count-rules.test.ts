import { expect, test } from 'vitest';
import { addCounts, countsMessage, noCounts } from '../../../../shared/domain/results/count-rules.ts';

const counts = { completed: 5, failed: 4, skipped: 3, cancelled: 2, total: 14 };

test('counts are added by status', () => {
  expect(addCounts(noCounts, counts)).toEqual(counts);
  expect(addCounts(counts, { completed: 1, failed: 2, skipped: 3, cancelled: 4, total: 10 })).toEqual({
    completed: 6,
    failed: 6,
    skipped: 6,
    cancelled: 6,
    total: 24,
  });
});

test('a message names only ends that occurred', () => {
  expect(countsMessage(counts)).toBe('5 of 14 tasks completed, 4 failed, 3 skipped, 2 cancelled.');
  expect(countsMessage(noCounts)).toBe('0 of 0 tasks completed.');
});
