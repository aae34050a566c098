import { describe, expect, test } from 'vitest';
import type { MetricValue } from '../../../../shared/domain/metrics/model.ts';
import {
  averageOf,
  bestOf,
  betterBy,
  cumulative,
  joined,
  latestOf,
  meanOf,
  medianOf,
  NO_RESULTS,
  noTotals,
  type Sample,
  toggled,
  withSample,
} from '../../../../shared/domain/metrics/rules.ts';
import { executionNamed, taskNamed } from '../../../support/ids.ts';

const sample = (value: unknown, index = 0): Sample => ({
  value,
  error: 0.1,
  task_id: taskNamed(`task-${index}`),
  execution_id: executionNamed(`execution-${index}`),
  start_at: new Date(index),
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
const bestIn = (values: readonly unknown[], metric = highest): MetricValue | null =>
  bestOf(totalsOf(values, metric));

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
    expect(bestIn([2, 3, null, 1])).toEqual({
      value: 3,
      task_id: 'task-1',
      execution_id: 'execution-1',
      stddev: null,
    });
    expect(bestIn([2, 1, 3], metricOf('minimize'))?.value).toBe(1);
    expect(bestIn([-200, -320, -300], metricOf('minimize', -300))?.value).toBe(-320);
    expect(bestIn([-200, 100, -50], metricOf('minimize'))?.value).toBe(-50);
    expect(bestIn([2, 1, 3], metricOf('none'))).toBeNull();
  });

  test('the newest of equally good ones is the best, in whatever order they come and halves are joined', () => {
    expect(bestIn([3, 1, 3, 2])?.task_id).toBe('task-2');
    const backwards = [3, 2, 1, 0].map((index) => sample(index === 3 ? 2 : 3, index));
    const { best } = backwards.reduce((totals, each) => withSample(totals, each, highest), noTotals);
    expect(best?.task_id).toBe('task-2');
    const halves = [
      [totalsOf([3, 1]), totalsOf([3, 2], highest, 2)],
      [totalsOf([4, 1]), totalsOf([3, 2], highest, 2)],
    ] as const;
    const ids = halves.map(([one, other]) => [
      joined(one, other, highest).best?.task_id,
      joined(other, one, highest).best?.task_id,
    ]);
    expect(ids).toEqual([
      ['task-2', 'task-2'],
      ['task-0', 'task-0'],
    ]);
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

  test('a set of results is the same in whatever order they come, and without what is taken out of it', () => {
    const setOf = (...ids: string[]) => ids.map(taskNamed).reduce(toggled, NO_RESULTS);
    expect(setOf('a', 'b', 'c')).toBe(setOf('c', 'a', 'b'));
    expect(setOf('a', 'b', 'b')).toBe(setOf('a'));
    expect(setOf('a', 'a')).toBe(NO_RESULTS);
    expect(new Set([setOf(), setOf('a'), setOf('b'), setOf('a', 'b'), setOf('ab')]).size).toBe(5);
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
