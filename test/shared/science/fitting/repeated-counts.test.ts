import { expect, test } from 'vitest';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { repeatedCounts } from '../../../../shared/science/fitting/repeated-counts.ts';

/** Counts of two outcomes, row by row. */
function drawn(rows: number, probability: number, shots = 1024): number[][] {
  const random = randomFrom('repeated counts', probability);
  return Array.from({ length: rows }, () => {
    let excited = 0;
    for (let shot = 0; shot < shots; shot++) if (random.uniform() < probability) excited += 1;
    return [shots - excited, excited];
  });
}

test.each([0, 1e-4, 1e-3, 0.02, 0.5, 1])(
  'counts of outcomes with a probability of %d are not a fault',
  (p) => {
    expect(repeatedCounts(drawn(2000, p))).toBeNull();
  },
);

test('repeated counts are reported with their first row, and missing rows do not count', () => {
  const rows: (number[] | null)[] = drawn(20, 0.3);
  const last = rows[11] ?? expect.fail('no row');
  expect(repeatedCounts([...rows.slice(0, 12), null, ...Array.from({ length: 8 }, () => [...last])])).toBe(
    'the instrument repeats the same counts from row 12 of 20 on',
  );
});

test('fractions of the shots instead of counts are not a fault', () => {
  const shares = drawn(2000, 1e-3).map((counts) => counts.map((count) => count / 1024));
  expect(repeatedCounts(shares)).toBeNull();
});
