import { expect, test } from 'vitest';
import { preemptionProblem, secondsLeft } from '../../../../shared/domain/runs/preemption-rules.ts';

const policy = { priority: 3, seconds_per_hour: 900 };
const now = Date.UTC(2026, 0, 5, 12);
const ago = (minutes: number) => now - minutes * 60_000;
const asked = { priority: 4, lent: [], lentTo: null, now };

test('only a higher priority may use the chip in between', () => {
  expect(preemptionProblem(policy, asked)).toBeNull();
  expect(preemptionProblem(policy, { ...asked, priority: 3 })).toContain('its priority is 3');
  expect(preemptionProblem(policy, { ...asked, priority: 0 })).toContain('its priority is 3');
});

test('one run at a time uses the chip in between', () => {
  expect(preemptionProblem(policy, { ...asked, lentTo: '20260105-002' })).toBe(
    'execution 20260105-002 uses the chip in between',
  );
});

test('time that was lent more than an hour ago does not count any more', () => {
  expect(secondsLeft(policy, [{ from: ago(120), to: ago(100) }], now)).toBe(900);
  expect(secondsLeft(policy, [{ from: ago(65), to: ago(55) }], now)).toBe(600);
  expect(secondsLeft(policy, [{ from: ago(20), to: ago(5) }], now)).toBe(0);
  expect(secondsLeft(policy, [{ from: ago(50), to: ago(20) }], now)).toBe(0);
});

test('without time for a measurement no run begins', () => {
  const lent = [{ from: ago(20), to: ago(20) + 895_000 }];
  expect(preemptionProblem(policy, { ...asked, lent })).toContain('for the 900 s of an hour that they may');
});
