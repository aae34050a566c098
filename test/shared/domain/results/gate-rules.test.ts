import { expect, test } from 'vitest';
import { gateResults } from '../../../../shared/domain/results/gate-rules.ts';

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
