import { expect, test } from 'vitest';
import { passedOf, restrictedTo } from '../../../../shared/domain/runs/restriction-rules.ts';

const stage = {
  kind: 'stage' as const,
  name: 'check',
  tasks: [{ name: 'CheckRabi' }],
  targets: ['0', '1', '2'],
};

test('a stage keeps the allowed targets in its order, and its schedule loses what is left empty', () => {
  expect(restrictedTo(stage, ['2', '0', '7'])).toEqual({ ...stage, targets: ['0', '2'] });
  const scheduled = { ...stage, schedule: [[['0', '1'], ['2']], [['1']]] };
  expect(restrictedTo(scheduled, ['1'])).toEqual({
    ...scheduled,
    targets: ['1'],
    schedule: [[['1']], [['1']]],
  });
  expect(restrictedTo(scheduled, ['2'])).toEqual({ ...scheduled, targets: ['2'], schedule: [[['2']]] });
});

test('a stage without an allowed target is nothing, and without a list of them itself', () => {
  expect(restrictedTo(stage, ['7'])).toBeNull();
  expect(restrictedTo(stage, [])).toBeNull();
  expect(restrictedTo(stage, undefined)).toBe(stage);
});

test('what an earlier run calibrated passes a stage that has it, in the order of the stage', () => {
  expect(passedOf(stage, ['2'], ['7', '0'])).toEqual(['0', '2']);
  expect(passedOf(stage, ['1'])).toEqual(['1']);
});
