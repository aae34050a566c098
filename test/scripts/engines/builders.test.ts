import { expect, test } from 'vitest';
import { buildProgress } from '../../../scripts/engines/builders.ts';

test('a build tells how far it is, and how long it takes at most', () => {
  expect(buildProgress(10, 0)).toBe('10 s, 0 of at most 1300 packages');
  expect(buildProgress(60.4, 260)).toBe('60 s, 260 of at most 1300 packages, 5 min left at most');
  expect(buildProgress(150, 650)).toBe('150 s, 650 of at most 1300 packages, 3 min left at most');
  expect(buildProgress(290, 1299)).toBe('290 s, 1299 of at most 1300 packages, nearly done');
  expect(buildProgress(300, 1400)).toBe('300 s, 1300 of at most 1300 packages, nearly done');
});
