import { expect, test } from 'vitest';
import { ENGINE_GRACE, stopGrace, stopPatience } from '../../../scripts/start/stop-grace.ts';
import { readSettings } from '../../../shared/domain/settings.ts';
import { stopLimit } from '../../../workers/stop-limit.ts';

test.each(['0', '3', '60', '600'])(
  'npm start leaves a worker with a grace of %s s the time that it needs',
  (WORKER_GRACE) => {
    const settings = readSettings({ WORKER_GRACE });
    expect(stopGrace(settings)).toBeGreaterThanOrEqual(stopLimit(settings));
    expect(stopGrace(settings)).toBeGreaterThanOrEqual(Number(WORKER_GRACE) * 1000);
    // Who stops another start does not take it for stuck before.
    expect(stopPatience(settings)).toBeGreaterThan(stopGrace(settings) + ENGINE_GRACE);
  },
);

test('with the shipped settings everything is stopped within 15 s', () => {
  expect(stopGrace(readSettings({})) + ENGINE_GRACE).toBeLessThan(15_000);
});
