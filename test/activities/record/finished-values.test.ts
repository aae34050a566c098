import { describe, expect, test } from 'vitest';
import { readMeasureResult } from '../../../activities/backends/backend.ts';
import { readFinishedValues } from '../../../activities/record/finished-values.ts';
import { gate } from '../../../shared/tasks/gates.ts';
import { taskOf } from '../../support/measured.ts';

const task = taskOf('CheckT1');

type Given = Parameters<typeof readFinishedValues>[0];

/** What CheckT1 makes of a T1 that its backend found. */
function t1(given: Record<string, unknown>, r2: number | string | null = 0.99) {
  const outputs = { t1: { value: 50, ...given } } satisfies Given['outputs'];
  return readFinishedValues({ outputs, quality: { r2 } }, task.outputs);
}

describe('a value that a lab analysed itself', () => {
  test.each([
    [50_000, 'ns'],
    [5e-5, 's'],
    [50, 'µs'],
    [50, 'microseconds'],
  ])('of %s %s is 50 us, and so is its error', (value, unit) => {
    expect(t1({ value, error: value / 50, unit })).toEqual({
      outputs: { t1: { value: 50, error: 1 } },
      r2: 0.99,
      notes: [],
    });
  });

  test('in a unit of something else is refused, naming both', () => {
    expect(t1({ unit: 'GHz' })).toMatch(/"GHz" .* "us" is expected/);
    expect(t1({ unit: 'bananas' })).toMatch(/"bananas" is unknown; "us" is expected/);
  });

  test.each(['NaN', 'nan', 'Infinity', '-inf'])(
    'keeps its value without an error of %s, with a note',
    (error) => {
      expect(t1({ error })).toMatchObject({
        outputs: { t1: { value: 50, error: null } },
        notes: [expect.stringMatching(/as the error of t1, so it is stored without an error\.$/)],
      });
    },
  );

  test('keeps its value without an r2 that is NaN, with a note', () => {
    expect(t1({ error: 1 }, 'NaN')).toMatchObject({
      outputs: { t1: { value: 50, error: 1 } },
      r2: null,
      notes: ['The backend gave NaN as r2, so it is stored without one.'],
    });
  });

  test('keeps an error of 0, with a warning', () => {
    expect(t1({ error: 0 })).toMatchObject({
      outputs: { t1: { value: 50, error: 0 } },
      notes: [expect.stringMatching(/^Warning: .* an error of 0/)],
    });
  });

  test('is refused with an error below 0 or an r2 above 1', () => {
    expect(t1({ error: -1 })).toMatch(/an error cannot be negative/);
    expect(t1({}, 1.5)).toMatch(/r2 of the backend is 1.5; it cannot be above 1/);
    expect(t1({}, 1 + 1e-12)).toMatchObject({ r2: 1 });
  });

  test('is refused as NaN', () => {
    expect(t1({ value: 'NaN' })).toBe('The output t1 is NaN, which is not a finite number.');
  });

  test.each(['50.5', 'np.float64(50.5)', '100000000000000000000'])('is refused as the text %s', (value) => {
    const answer = { targets: { 0: { outputs: { t1: { value } } } } };
    expect(readMeasureResult(answer)).toMatch(/does not fit the contract: targets.0.outputs.t1.value/);
  });

  test.each([2 ** 53, 10 ** 30])('is refused as the integer %s, which lost digits', (value) => {
    expect(t1({ value })).toMatch(/larger than a number holds exactly/);
  });

  test.each([5e-324, 1e-200, 1e-12])('of %s us is too small to be a time', (value) => {
    const read = t1({ value });
    expect(typeof read === 'string' ? read : gate(task, read)).toMatchObject({ rule: 'bounds' });
  });
});
