import { expect, test } from 'vitest';
import { namesParts, partProblems } from '../../../../shared/domain/flows/chip-parameter-rules.ts';
import { parameterDeclarations } from '../../../../shared/domain/flows/parameter-model.ts';

const chip = { chip_id: 'CHIP', qubits: ['0', '1', '2', '3', '4'], couplings: ['0-1', '1-2'] };
const declared = (types: Record<string, string>) =>
  parameterDeclarations.parse(
    Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }])),
  );
const problems = (type: string, value: Parameters<typeof partProblems>[1][string]) =>
  partProblems(declared({ given: type }), { given: value }, chip);

test('a flow names parts of a chip if one of its parameters does', () => {
  expect(namesParts(null)).toBe(false);
  expect(namesParts(declared({ shots: 'integer' }))).toBe(false);
  for (const type of ['qubits', 'qubit_groups', 'muxes', 'pairs', 'pair_groups'])
    expect(namesParts(declared({ shots: 'integer', given: type })), type).toBe(true);
});

test.each([
  ['qubits', ['0', 4]],
  ['qubit_groups', [['0', '1'], ['2']]],
  ['muxes', [0, '1']],
  ['pairs', ['0-1', [1, 2], ['0', '1']]],
  ['pair_groups', [['0-1', '1-2'], [[0, 1]]]],
  ['integer', 99],
])('%s %j are parts of the chip', (type, value) => {
  expect(problems(type, value)).toEqual([]);
});

test.each([
  ['qubits', ['0', '5', 5], 'given names qubits that chip CHIP has not: 5'],
  ['qubit_groups', [['9'], ['0', '8']], 'given names qubits that chip CHIP has not: 9, 8'],
  ['muxes', [2], 'given names multiplexers that chip CHIP has not: 2'],
  ['pairs', ['1-0', [0, 2]], 'given names couplings that chip CHIP has not: 1-0, 0-2'],
  ['pair_groups', [['2-3', '3-4']], 'given names couplings that chip CHIP has not: 2-3, 3-4'],
  ['pairs', [[0, 1, 2]], 'given names couplings that chip CHIP has not: 0, 1, 2'],
])('%s %j: %s', (type, value, problem) => {
  expect(problems(type, value)).toEqual([problem]);
});

test('values that name nothing, and missing ones, are no problem here', () => {
  expect(problems('qubits', { a: 1 })).toEqual([]);
  expect(partProblems(declared({ given: 'qubits' }), {}, chip)).toEqual([]);
  expect(partProblems(null, { given: ['9'] }, chip)).toEqual([]);
});

test('at most ten ids are named, each with at most 64 characters', () => {
  const ids = Array.from({ length: 12 }, (_, index) => String(10 + index));
  expect(problems('qubits', ids)).toEqual([
    `given names qubits that chip CHIP has not: ${ids.slice(0, 10).join(', ')} and 2 more`,
  ]);
  expect(problems('qubits', ids.slice(0, 10))).toEqual([
    `given names qubits that chip CHIP has not: ${ids.slice(0, 10).join(', ')}`,
  ]);
  expect(problems('qubits', ['9'.repeat(100)])[0]).toMatch(/: 9{64}$/);
});

test('at most ten problems are reported', () => {
  const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
  const declarations = declared(Object.fromEntries(names.map((name) => [name, 'qubits'])));
  const values = Object.fromEntries(names.map((name) => [name, ['9']]));
  expect(partProblems(declarations, values, chip)).toHaveLength(10);
});
