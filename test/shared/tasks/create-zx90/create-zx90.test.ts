import { expect, test } from 'vitest';
import { changed, failureOf, pairWithGate } from '../pair-failures.ts';

test('a gate is refused where both signals do not meet within the sweep', async () => {
  const known = await pairWithGate();
  const slower = changed(known, 'coupling', 'zx_rotation_rate', (value) => 3 * value);
  expect(await failureOf(slower, ['CreateZX90'])).toMatch(/^CreateZX90: The fit of CreateZX90/);
});
