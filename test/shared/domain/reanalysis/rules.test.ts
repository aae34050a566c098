import { expect, test } from 'vitest';
import { qubitReanalysis, resonatorReanalysis } from '../../../../shared/domain/reanalysis/model.ts';
import { qubitOverrides, resonatorOverrides } from '../../../../shared/domain/reanalysis/rules.ts';

test('what a request leaves out or sends as null stays as it was measured with, trimming too', () => {
  for (const parameters of [undefined, null, {}, { top_power: null, retry_with_trim: null }]) {
    expect(qubitOverrides(qubitReanalysis.parse({ parameters }))).toEqual({});
  }
  for (const parameters of [undefined, null, {}, { low_power: null, resonator_assignment_order: null }]) {
    expect(resonatorOverrides(resonatorReanalysis.parse({ parameters }))).toEqual({});
  }
});

test('parameters of a request override those of the measurement, under the names of the task', () => {
  const qubit = { top_power: -3, retry_with_trim: false };
  expect(qubitOverrides(qubitReanalysis.parse({ parameters: qubit }))).toEqual({
    top_power: -3,
    retry_with_trim: 'false',
  });
  const resonator = { num_resonators: 3, resonator_assignment_order: '3,0,2,1' };
  expect(resonatorOverrides(resonatorReanalysis.parse({ parameters: resonator }))).toEqual({
    num_resonators: 3,
    resonator_assignment_pattern: '3,0,2,1',
  });
});
