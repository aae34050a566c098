import { expect, test } from 'vitest';
import { slotDefaults, slotName, slotOf } from '../../../../shared/domain/menu-schedules/rules.ts';

test('each slot is found by its name, with or without a prefix', () => {
  for (const slot of slotDefaults.map((_, index) => index + 1)) {
    expect(slotName('lab', slot)).toBe(`cron-scheduler/lab-cron-scheduler-${slot}`);
    for (const name of [slotName('lab', slot), `cron-scheduler-${slot}`, `x/cron-scheduler-${slot}`])
      expect(slotOf(name)).toBe(slot);
  }
});

test.each([
  '',
  'cron-scheduler-0',
  'cron-scheduler-6',
  'cron-scheduler-12',
  'xcron-scheduler-1',
  'cron-scheduler-1x',
])('%j names no slot', (name) => {
  expect(slotOf(name)).toBeNull();
});
