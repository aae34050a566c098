import { expect, test } from 'vitest';
import { changed, failureOf, healthy } from '../pair-failures.ts';

test('a control that is not where it is believed is refused', async () => {
  const weak = changed(healthy, 'control', 'qubit_frequency', (value) => value + 0.4);
  expect(await failureOf(weak, ['CheckStaticZZ'])).toMatch(/control: the prepared states do not differ/);
});
