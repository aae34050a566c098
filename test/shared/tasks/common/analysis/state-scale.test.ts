import { expect, test } from 'vitest';
import { scaleSignal } from '../../../../../shared/tasks/common/analysis/state-scale.ts';

const sweep = { x: [0, 1, 2], re: [0, 1, 2], im: [0, 0, 0] };
const labelOf = (unit: string) => {
  const variable = { dims: ['time'], values: sweep.re, unit, long_name: '' };
  return scaleSignal({ dims: { time: 3 }, coordinates: {}, variables: { iq_re: variable } }, sweep).label;
};

test('a signal without prepared states is drawn in its measured unit', () => {
  expect(labelOf('mV')).toBe('Signal (mV)');
  expect(labelOf('')).toBe('Signal (a.u.)');
  expect(labelOf('a.u.')).toBe('Signal (a.u.)');
  expect(labelOf('<b>')).toBe('Signal (a.u.)');
});
