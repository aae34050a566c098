import { expect, test } from 'vitest';
import { plainTargetId } from '../../../../shared/domain/chips/rules.ts';

test('ids are the same however they are written', () => {
  expect(['7', 'Q7', 'q007', 'Q01-Q2', '0-1', 'x', 'Q-1'].map(plainTargetId)).toEqual([
    '7',
    '7',
    '7',
    '1-2',
    '0-1',
    'x',
    'Q-1',
  ]);
});
