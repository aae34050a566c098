import { expect, test } from 'vitest';
import { tellSourcePositions } from '../../../shared/kernel/source-positions.ts';

test('a program that runs from its sources keeps the stacks that its loader makes', () => {
  const before = Error.prepareStackTrace;
  tellSourcePositions();
  const after = Error.prepareStackTrace;
  Error.prepareStackTrace = before;
  expect(after).toBe(before);
});
