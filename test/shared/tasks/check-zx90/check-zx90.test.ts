import { expect, test } from 'vitest';
import { changed, failureOf, pairWithGate } from '../pair-failures.ts';

test('a gate with a wrong amplitude or phase does not follow the pattern', async () => {
  const known = await pairWithGate();
  const stronger = changed(known, 'coupling', 'cr_amplitude', (value) => 1.3 * value);
  expect(await failureOf(stronger, ['CheckZX90'])).toMatch(/CheckZX90: The fit of CheckZX90/);
  const turned = changed(known, 'coupling', 'cr_phase', (value) => value + 1);
  expect(await failureOf(turned, ['CheckZX90'])).toMatch(/CheckZX90: The fit of CheckZX90/);
});
