import { expect, test } from 'vitest';
import { countedWait } from '../../../../shared/domain/runs/waiting-rules.ts';

const now = new Date('2026-01-02T00:00:00Z');
const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * 1000);
const since = { for: 'something', since: '2026-01-01T00:00:00Z' };
const going = { status: 'running' as const, created_at: secondsAgo(100) };
const request = { by: 'mia', at: '2026-01-01T00:00:00Z' };

test('of several waits, what needs repair comes first, then the request of a person', () => {
  const all = {
    ...going,
    trouble: { ...since, kind: 'disk' as const },
    cancel_requested_at: now,
    preempted: { by: '20260102-003', since: since.since },
    paused: request,
    waiting: { ...since, kind: 'approval' as const },
  };
  expect(countedWait(all, now)).toBe('disk');
  expect(countedWait({ ...all, trouble: since }, now)).toBe('repair');
  expect(countedWait({ ...all, trouble: null }, now)).toBe('cancel');
  const asked = { ...all, trouble: null, cancel_requested_at: null };
  expect(countedWait(asked, now)).toBe('preemption');
  expect(countedWait({ ...asked, preempted: null }, now)).toBe('resume');
  expect(countedWait({ ...asked, preempted: null, paused: null }, now)).toBe('approval');
});

test('a run that goes on, or waits for nothing that is counted, is not counted', () => {
  expect(countedWait({ ...going, cancel_requested_at: null }, now)).toBeNull();
  expect(countedWait({ ...going, cancel_requested_at: null, waiting: since }, now)).toBeNull();
});

test('a run that no worker takes within 30 seconds waits for a worker', () => {
  const scheduled = (seconds: number) =>
    countedWait({ status: 'scheduled', created_at: secondsAgo(seconds), cancel_requested_at: null }, now);
  expect([scheduled(30), scheduled(31)]).toEqual([null, 'worker']);
});
