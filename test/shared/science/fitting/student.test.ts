import { expect, test } from 'vitest';
import { studentReach } from '../../../../shared/science/fitting/student.ts';

test('the confidence interval of a mean agrees with tables of Student, and falls to one error', () => {
  expect(studentReach(1)).toBeCloseTo(1.837, 3);
  expect(studentReach(2)).toBeCloseTo(1.321, 3);
  expect(studentReach(9)).toBeCloseTo(1.059, 3);
  const reaches = Array.from({ length: 60 }, (_, index) => studentReach(index + 1));
  for (const [index, reach] of reaches.entries()) {
    expect(reach).toBeGreaterThan(1);
    expect(reach).toBeLessThan(reaches[index - 1] ?? 2);
  }
});
