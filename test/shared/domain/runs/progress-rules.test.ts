import { expect, test } from 'vitest';
import { estimatedEnd, steadyEnd } from '../../../../shared/domain/runs/progress-rules.ts';

test('the rest of a run is expected to go as fast as what is settled', () => {
  const since = new Date('2026-01-02T00:00:00Z');
  const now = new Date('2026-01-02T00:10:00Z');
  expect(estimatedEnd({ settled: 25, total: 100, since, now })).toEqual(new Date('2026-01-02T00:40:00Z'));
  expect(estimatedEnd({ settled: 0, total: 100, since, now })).toBeNull();
  expect(estimatedEnd({ settled: 100, total: 100, since, now })).toBeNull();
  expect(estimatedEnd({ settled: 50, total: 100, since: now, now: since })).toEqual(since);
});

test('an estimate is shown again when it has moved by more than a few seconds and a tenth of what remains', () => {
  const now = new Date('2026-01-02T00:00:00Z');
  const after = (seconds: number) => new Date(now.getTime() + seconds * 1000);
  expect(steadyEnd(null, after(20), now)).toEqual(after(20));
  expect(steadyEnd(after(20), null, now)).toBeNull();
  expect(steadyEnd(after(20), after(24), now)).toEqual(after(20));
  expect(steadyEnd(after(20), after(26), now)).toEqual(after(26));
  expect(steadyEnd(after(1000), after(1090), now)).toEqual(after(1000));
  expect(steadyEnd(after(1000), after(1200), now)).toEqual(after(1200));
});
