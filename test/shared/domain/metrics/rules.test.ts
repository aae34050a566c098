import { describe, expect, test } from 'vitest';
import type { MetricValue } from '../../../../shared/domain/metrics/model.ts';
import {
  averageOf,
  betterBy,
  cumulative,
  joined,
  latestOf,
  meanOf,
  medianOf,
  noTotals,
  plainTargetId,
  type Sample,
  withoutValues,
  withSample,
} from '../../../../shared/domain/metrics/rules.ts';

const sample = (value: unknown, index = 0): Sample => ({
  value,
  error: 0.1,
  task_id: `task-${index}`,
  execution_id: `execution-${index}`,
});

function metricOf(mode: 'maximize' | 'minimize' | 'none', limit: number | null = null) {
  const threshold = limit === null ? null : { value: limit, range: { min: -1, max: 1, step: 1 } };
  return { evaluation: { mode }, threshold: threshold && { ...threshold, in_shown_unit: false } };
}
const highest = metricOf('maximize');

/** What results, oldest first, come to. */
const totalsOf = (values: readonly unknown[], metric = highest, first = 0) =>
  values.reduce(
    (totals: typeof noTotals, value, index) => withSample(totals, sample(value, first + index), metric),
    noTotals,
  );
const bestOf = (values: readonly unknown[], metric = highest): MetricValue | null =>
  totalsOf(values, metric).best;

describe('of several results', () => {
  test('the newest is the latest; one without a number is not replaced by an older one', () => {
    expect(latestOf(sample(1))).toEqual({
      value: 1,
      task_id: 'task-0',
      execution_id: 'execution-0',
      stddev: 0.1,
    });
    for (const nothing of [null, 'x', Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(latestOf(sample(nothing))).toBeNull();
    }
  });

  test('the best is the highest or the lowest, as the metric says; of a metric without better there is none', () => {
    expect(bestOf([2, 3, null, 1])).toEqual({
      value: 3,
      task_id: 'task-1',
      execution_id: 'execution-1',
      stddev: null,
    });
    expect(bestOf([2, 1, 3], metricOf('minimize'))?.value).toBe(1);
    expect(bestOf([-200, -320, -300], metricOf('minimize', -300))?.value).toBe(-320);
    expect(bestOf([-200, 100, -50], metricOf('minimize'))?.value).toBe(-50);
    expect(bestOf([2, 1, 3], metricOf('none'))).toBeNull();
  });

  test('the newest of equally good ones is the best, also where two halves are joined', () => {
    expect(bestOf([3, 1, 3, 2])?.task_id).toBe('task-2');
    expect(joined(totalsOf([3, 1]), totalsOf([3, 2], highest, 2), highest).best?.task_id).toBe('task-2');
    expect(joined(totalsOf([4, 1]), totalsOf([3, 2], highest, 2), highest).best?.task_id).toBe('task-0');
  });

  test('the average is the mean with the deviation of a sample, of one result without', () => {
    const { stddev, ...average } = averageOf(totalsOf([9, 7, 5, 5, 4, 4, 4, null, 2])) ?? {};
    expect(average).toEqual({ value: 5, task_id: null, execution_id: '' });
    expect(stddev).toBeCloseTo(Math.sqrt(32 / 7), 12);
    expect(averageOf(totalsOf([3]))).toEqual({ value: 3, task_id: null, execution_id: '', stddev: null });
    expect(averageOf(totalsOf([null]))).toBeNull();
  });

  test.each([
    [[], [5, 7]],
    [[5, 7], []],
    [
      [5, 7, 9, null, 4],
      [2, 4, 4],
    ],
  ])('two parts have the average of the whole: %j and %j', (older, newer) => {
    const whole = averageOf(totalsOf([...older, ...newer]));
    const average = averageOf(joined(totalsOf(older), totalsOf(newer), highest));
    expect(average?.value).toBeCloseTo(whole?.value ?? Number.NaN, 12);
    expect(average?.stddev).toBeCloseTo(whole?.stddev ?? Number.NaN, 12);
  });

  test('what is taken out leaves the average of the rest, down to none', () => {
    const rest = averageOf(withoutValues(totalsOf([9, 100, 7, 5, 5, 4, 4, 4, 2, -60]), [100, null, -60]));
    expect(rest?.value).toBeCloseTo(5, 12);
    expect(rest?.stddev).toBeCloseTo(Math.sqrt(32 / 7), 12);
    expect(averageOf(withoutValues(totalsOf([1, 3]), [3]))).toMatchObject({ value: 1, stddev: null });
    expect(averageOf(withoutValues(totalsOf([1, 3]), [3, 1]))).toBeNull();
  });

  test('rules that find other values best have other names', () => {
    const rules = [highest, metricOf('minimize'), metricOf('minimize', -300), metricOf('none')];
    expect(new Set(rules.map(betterBy)).size).toBe(4);
    expect(betterBy(metricOf('minimize', 5))).toBe(betterBy(metricOf('minimize')));
  });
});

test('means, medians and distributions', () => {
  expect([meanOf([1, null, 'x', 3]), meanOf([null])]).toEqual([2, null]);
  expect([medianOf([1, 2, 10]), medianOf([1, 2, 4, 10]), medianOf([])]).toEqual([2, 3, null]);
  expect(cumulative([1, 5])).toEqual([
    { value: 1, part: 0.5 },
    { value: 5, part: 1 },
  ]);
});

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
