import { expect, test } from 'vitest';
import { gateResults } from '../../../../shared/domain/results/gate-rules.ts';
import type { Bounds } from '../../../../shared/tasks/model.ts';

const definition = { r2Threshold: 0.6, outputs: { t1: { bounds: { minimum: 0, maximum: 1000 } } } };
const judged = (value: number, r2: number) =>
  gateResults({ parameter_name: 't1', value, unit: 'us' }, definition, r2).map(({ detail }) => detail);

test('the gates say a value with the digits that one reads', () => {
  expect(judged(33.72573919458028, 0.9992235808115352)).toEqual([
    '33.7257 us is a finite number.',
    'r2 of the fit is 0.9992; it must be above 0.6.',
    '33.7257 us; it must be at least 0 and at most 1000.',
  ]);
});

test('a fit just beside the threshold is not rounded to it', () => {
  expect(judged(1, 0.599999999)[1]).toBe('r2 of the fit is 0.599999999; it must be above 0.6.');
});

const results = (
  value: unknown,
  { name = 't1', r2 = 0.9, threshold = 0.6 as number | null, bounds = {} as Bounds, unit = '' } = {},
) =>
  gateResults(
    { parameter_name: name, value, unit },
    { r2Threshold: threshold, outputs: { t1: { bounds } } },
    threshold === null ? null : r2,
  );
const passedBy = (rule: string, ...given: Parameters<typeof results>) =>
  results(...given).find((each) => each.rule === rule)?.passed;

test('only numbers are judged, and only finite ones pass', () => {
  expect(results('1')).toEqual([]);
  expect([1, Number.POSITIVE_INFINITY].map((value) => passedBy('finite', value))).toEqual([true, false]);
  expect(results(1)[0]?.detail).toBe('1 is a finite number.');
});

test('a fidelity lies in 0 to 1', () => {
  const passed = (value: number) => passedBy('fidelity', value, { name: 'x90_gate_fidelity' });
  expect([-0.01, 0, 0.5, 1, 1.01].map(passed)).toEqual([false, true, true, true, false]);
  expect(results(2, { name: 'x90_gate_fidelity' })[1]?.detail).toBe('2: a fidelity lies in 0 to 1.');
  expect(passedBy('fidelity', 0.5)).toBeUndefined();
});

test('a fit is better than its threshold, where there is one', () => {
  expect([0.5, 0.6, 0.61].map((r2) => passedBy('r2', 1, { r2 }))).toEqual([false, false, true]);
  expect(passedBy('r2', 1, { threshold: null })).toBeUndefined();
  expect(
    gateResults({ parameter_name: 't1', value: 1, unit: '' }, definition, null).map(({ rule }) => rule),
  ).toEqual(['finite', 'bounds']);
});

test('a value is within its bounds, where there are some', () => {
  const bounds = { minimum: 0, exclusiveMinimum: true };
  expect([0, 1].map((value) => passedBy('bounds', value, { bounds }))).toEqual([false, true]);
  expect(results(1, { bounds }).at(-1)?.detail).toBe('1; it must be above 0.');
  expect(results(1, { bounds: { maximum: 5 } }).at(-1)?.detail).toBe('1; it must be at most 5.');
  expect(passedBy('bounds', 1, { name: 'other' })).toBeUndefined();
});
