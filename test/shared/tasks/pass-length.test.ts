import { expect, test } from 'vitest';
import { lengthOfNextPass } from '../../../shared/tasks/pass-length.ts';

const run = {
  frequency_range: { value: [9.75, 10.75, 0.002], value_type: 'np.arange' },
  shots: { value: 1000, value_type: 'int' },
  band: { value: 'high', value_type: 'str' },
};

test('the duration of a pass is proportional to the points of its sweep and to its shots', () => {
  const finer = { frequency_range: { value: [9.75, 10.75, 0.0005], value_type: 'np.arange' } };
  expect(lengthOfNextPass(run, { run: finer })).toBeCloseTo(4, 1);
  const quieter = { ...finer, shots: { value: 8000, value_type: 'int' } };
  expect(lengthOfNextPass(run, { run: quieter })).toBeCloseTo(32, 0);
});

test('settings that are neither sweeps nor shots, or that the task does not have, do not change the duration', () => {
  expect(lengthOfNextPass(run, { run: {} })).toBe(1);
  expect(lengthOfNextPass(run, { run: { band: { value: 'low', value_type: 'str' } } })).toBe(1);
  const other = { time_range: { value: [0, 100, 4], value_type: 'range' } };
  expect(lengthOfNextPass(run, { run: other })).toBe(1);
});
