import { expect, test } from 'vitest';
import { estimatedEnd } from '../../../../shared/domain/runs/progress-rules.ts';

test('the rest of a run is expected to go as fast as what is settled', () => {
  const since = new Date('2026-01-02T00:00:00Z');
  const now = new Date('2026-01-02T00:10:00Z');
  expect(estimatedEnd({ settled: 25, total: 100, since, now })).toEqual(new Date('2026-01-02T00:40:00Z'));
  expect(estimatedEnd({ settled: 0, total: 100, since, now })).toBeNull();
  expect(estimatedEnd({ settled: 100, total: 100, since, now })).toBeNull();
  expect(estimatedEnd({ settled: 50, total: 100, since: now, now: since })).toEqual(since);
});
