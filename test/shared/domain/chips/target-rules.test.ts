import { expect, test } from 'vitest';
import {
  assertCalibratable,
  couplingsOf,
  noSuchChip,
  noteIs,
  plainTargetId,
  qubitsOf,
} from '../../../../shared/domain/chips/rules.ts';
import type { Topology } from '../../../../shared/science/topology/model.ts';

const topology: Topology = {
  id: 'three',
  name: 'three',
  description: '',
  grid_size: 11,
  num_qubits: 3,
  layout_type: 'linear',
  direction_convention: 'unspecified',
  mux: { enabled: false, size: 2 },
  qubits: { '10': { row: 0, col: 10 }, '1': { row: 0, col: 1 }, '0': { row: 0, col: 0 } },
  couplings: [
    [0, 1],
    [10, 1],
  ],
  visualization: { show_mux_boundaries: false, region_size: 4 },
};

test('a coupling is known in both directions, and sorted by control, then target', () => {
  const orders = couplingsOf(topology).toSorted((a, b) => a.qid_order - b.qid_order);
  expect(orders.map(({ qid }) => qid)).toEqual(['0-1', '1-0', '1-10', '10-1']);
});

test('the qubits of a chip come by number', () => {
  expect(qubitsOf(topology)).toEqual([
    { qid: '0', qid_order: 0 },
    { qid: '1', qid_order: 1 },
    { qid: '10', qid_order: 10 },
  ]);
});

test('runs need a chip that exists and is active', () => {
  expect(() => assertCalibratable({ activity_status: 'active' }, 'CHIP')).not.toThrow();
  expect(() => assertCalibratable(null, 'x'.repeat(70))).toThrow(
    expect.objectContaining({
      code: 'not_found',
      message: `There is no chip ${'x'.repeat(64)} in this project.`,
    }),
  );
  expect(() => assertCalibratable({ activity_status: 'inactive' }, 'CHIP')).toThrow(
    expect.objectContaining({
      code: 'conflict',
      message: 'The chip CHIP is inactive; set it active to calibrate it.',
    }),
  );
  expect(noSuchChip()).toMatchObject({
    code: 'not_found',
    message: 'There is no such chip in this project.',
  });
});

test('a text that only contains the id of a qubit is none', () => {
  for (const text of ['xQ7', '7x', 'Q7 ', 'Q1234567']) expect(plainTargetId(text)).toBe(text);
});

test('a note is compared with all its fields, or with none', () => {
  expect(noteIs(null)).toEqual({ note: { $exists: false } });
  expect(noteIs({ content: 'a', updated_by: 'mia', updated_at: null })).toEqual({
    'note.content': 'a',
    'note.updated_by': 'mia',
    'note.updated_at': null,
  });
});
