import { describe, expect, test } from 'vitest';
import { detectOutliers } from '../../../../shared/domain/results/outlier-rules.ts';

/** Outlier detection among values of a task by qubit, numbered from 0; undefined for a qubit without a value. */
function among(task: string, parameter: string, values: readonly (number | undefined)[]) {
  const outputs = values.map((value, qid) => {
    const record = value === undefined ? {} : { [parameter]: { value } };
    return [String(qid), record] as const;
  });
  return detectOutliers(task, new Map(outputs)).detection;
}

describe('values of a task across a chip', () => {
  test('one wild value among others is an outlier', () => {
    expect(among('CheckT1', 't1', [50, 52, 48, 51, 900])).toEqual({
      enabled: true,
      method: 'combined',
      parameters: { parameter: 't1', lower_bound: 0, upper_bound: 10_000, z_threshold: 3.5 },
      original_count: 5,
      filtered_count: 4,
      outlier_count: 1,
      outlier_qids: ['4'],
      physical_violations: [],
    });
  });

  test('a value at the limit of 3.5 modified standard deviations is none, beyond it is one', () => {
    // Median 10, median absolute deviation 1: the limit is 3.5 / 0.6745 = 5.189 away.
    const others = [9, 9, 10, 11, 11];
    expect(among('CheckT1', 't1', [...others, 10, 15.18]).outlier_qids).toEqual([]);
    expect(among('CheckT1', 't1', [...others, 10, 15.2]).outlier_qids).toEqual(['6']);
    expect(among('CheckT1', 't1', [...others, 10, 4.7]).outlier_qids).toEqual(['6']);
  });

  test('a value at a physical bound is possible', () => {
    const task = 'X90InterleavedRandomizedBenchmarking';
    expect(among(task, 'x90_gate_fidelity', [0, 1]).physical_violations).toEqual([]);
    expect(among('CheckT1', 't1', [10_000, 10_001]).physical_violations).toEqual(['1']);
  });

  test('three values are too few to judge one by the others', () => {
    expect(among('CheckT1', 't1', [50, 51, 9000])).toMatchObject({ original_count: 3, outlier_count: 0 });
    expect(among('CheckT1', 't1', [50, 51, 52, 9000]).outlier_qids).toEqual(['3']);
  });

  test('where half of the values are equal none deviates', () => {
    expect(among('CheckT1', 't1', [50, 50, 50, 50, 70]).outlier_count).toBe(0);
  });

  test('what physics rules out is an outlier however few there are, and judges no other', () => {
    const detection = among('X90InterleavedRandomizedBenchmarking', 'x90_gate_fidelity', [0.99, 1.2, -0.1]);
    expect(detection).toMatchObject({
      original_count: 3,
      filtered_count: 1,
      outlier_qids: ['1', '2'],
      physical_violations: ['1', '2'],
    });
    expect(among('CheckRamsey', 't2_star', [50, 51, 52, 1000.1]).physical_violations).toEqual(['3']);
    expect(among('CheckT2Echo', 't2_echo', [2000, 2000.1]).physical_violations).toEqual(['1']);
  });

  test('NaN, missing values and coherence times that are not above 0 are not judged', () => {
    const detection = among('CheckT1', 't1', [Number.NaN, undefined, 0, -5, 50]);
    expect(detection).toMatchObject({ original_count: 1, filtered_count: 1, outlier_qids: [] });
    expect(among('RandomizedBenchmarking', 'average_gate_fidelity', [Number.NaN, 0]).original_count).toBe(1);
  });

  test('infinite values are ruled out', () => {
    expect(among('CheckT1', 't1', [Number.POSITIVE_INFINITY]).physical_violations).toEqual(['0']);
  });

  test('a coherence time below 0.01 was given in seconds', () => {
    expect(among('CheckT1', 't1', [50, 51, 52, 51e-6]).outlier_count).toBe(0);
    expect(among('CheckT1', 't1', [50, 51, 52, 900e-6]).outlier_qids).toEqual(['3']);
  });

  test('a plain number counts as a record does', () => {
    const outputs = new Map(['0', '1'].map((qid) => [qid, { bell_state_fidelity: 1.5 }]));
    expect(detectOutliers('CheckBellStateTomography', outputs).detection.outlier_count).toBe(2);
  });

  test('other tasks are not judged', () => {
    expect(detectOutliers('CheckRabi', new Map([['0', { t1: { value: 1e9 } }]]))).toMatchObject({
      parameter: null,
      detection: { enabled: false, original_count: 0, outlier_count: 0 },
    });
  });
});
