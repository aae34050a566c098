import { describe, expect, test } from 'vitest';
import {
  cumulative,
  type Gathered,
  gather,
  meanOf,
  medianOf,
  plainTargetId,
  type Sample,
} from '../../../../shared/domain/metrics/rules.ts';

const sample = (value: unknown, index = 0): Sample => ({
  value,
  error: 0.1,
  task_id: `task-${index}`,
  execution_id: `execution-${index}`,
});

/** What results, newest first, become. */
function chosenOf(
  values: readonly unknown[],
  selection: 'latest' | 'best' | 'average',
  mode: 'maximize' | 'minimize' | 'none' = 'maximize',
  limit: number | null = null,
) {
  const threshold = limit === null ? null : { value: limit, range: { min: -1, max: 1, step: 1 } };
  const metric = { evaluation: { mode }, threshold: threshold && { ...threshold, in_shown_unit: false } };
  let gathered: Gathered | undefined;
  for (const [index, value] of values.entries())
    gathered = gather(gathered, sample(value, index), selection, metric);
  return gathered?.chosen ?? null;
}

describe('of several results', () => {
  test('the latest is the newest one; one without a number is not replaced by an older one', () => {
    expect(chosenOf([1, 2, 3], 'latest')).toEqual({
      value: 1,
      task_id: 'task-0',
      execution_id: 'execution-0',
      stddev: 0.1,
    });
    for (const nothing of [null, 'x', Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(chosenOf([nothing, 2], 'latest')).toBeNull();
    }
  });

  test('the best is the highest or the lowest, as the metric says; of a metric without better there is none', () => {
    expect(chosenOf([1, null, 3, 2], 'best', 'maximize')).toEqual({
      value: 3,
      task_id: 'task-2',
      execution_id: 'execution-2',
      stddev: null,
    });
    expect(chosenOf([2, 1, 3], 'best', 'minimize')?.value).toBe(1);
    expect(chosenOf([-200, -320, -300], 'best', 'minimize', -300)?.value).toBe(-320);
    expect(chosenOf([-200, 100, -50], 'best', 'minimize')?.value).toBe(-50);
    expect(chosenOf([2, 1, 3], 'best', 'none')).toBeNull();
  });

  test('the average is the mean with the deviation of a sample, of one result without', () => {
    const { stddev, ...average } = chosenOf([2, null, 4, 4, 4, 5, 5, 7, 9], 'average') ?? {};
    expect(average).toEqual({ value: 5, task_id: null, execution_id: '' });
    expect(stddev).toBeCloseTo(Math.sqrt(32 / 7), 12);
    expect(chosenOf([3], 'average')).toEqual({ value: 3, task_id: null, execution_id: '', stddev: null });
    expect(chosenOf([null], 'average')).toBeNull();
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
