import { expect, test } from 'vitest';
import { isBefore, isNotAfter, writeOrderOf } from '../../../../shared/domain/chips/write-order-rules.ts';

test('writes are ordered by holder, then by stage, then by position in the stage', () => {
  const inOrder = [
    writeOrderOf(1, { stage: 0, index: 0 }),
    writeOrderOf(1, { stage: 0, index: 99_999 }),
    writeOrderOf(1, { stage: 1, index: 0 }),
    writeOrderOf(1, { stage: 2, index: 5 }),
    writeOrderOf(2, { stage: 0, index: 0 }),
  ];
  for (const [at, one] of inOrder.entries())
    for (const [place, other] of inOrder.entries()) {
      expect(isBefore(one, other)).toBe(at < place);
      expect(isNotAfter(one, other)).toBe(at <= place);
    }
});
