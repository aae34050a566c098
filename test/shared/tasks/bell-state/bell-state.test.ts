import { expect, test } from 'vitest';
import { changed, failureOf, pairWithGate } from '../pair-failures.ts';

test('a tone of the opposite phase does not make a Bell state', async () => {
  const known = await pairWithGate();
  const opposite = changed(known, 'coupling', 'cr_phase', (value) => value - Math.PI);
  expect(await failureOf(opposite, ['CheckBellState'])).toMatch(/the outcomes 00 and 11 have only/);
  expect(await failureOf(opposite, ['CheckBellStateTomography'])).toMatch(/not entangled beyond doubt/);
});
