import { describe, expect, test } from 'vitest';
import {
  editProblem,
  type FileValue,
  withFileValue,
} from '../../../../shared/domain/calibrations/parameter-file-edit.ts';
import { parameterFile } from '../../../../shared/domain/calibrations/parameter-files.ts';

const wanted: FileValue = {
  file: 't1.yaml',
  qid: '3',
  label: 'Q03',
  value: 51.5,
  unit: 'us',
  description: 'Relaxation time',
};

const text = `# Measured in the blue fridge
meta:
  unit: us   # not ns
  description: Relaxation time

data:
  # the good ones
  Q00: 40.0
  Q03:   41.25     # looked odd
  Q05: null # dead
  Q10: 4.2e+1
`;

describe('a changed value', () => {
  test('changes its digits and nothing else', () => {
    expect(withFileValue(text, wanted)).toBe(text.replace('41.25', '51.5'));
    expect(withFileValue(text, { ...wanted, qid: '10' })).toBe(text.replace('4.2e+1', '51.5'));
  });

  test('that is there already changes nothing', () => {
    expect(withFileValue(text, { ...wanted, value: 41.25 })).toBe(text);
  });

  test('takes the place of a null, whose comment stays', () => {
    const edited = withFileValue(text, { ...wanted, qid: '5' });
    expect(edited).toContain('  Q05: 51.5 # dead\n');
    expect(editProblem(text, edited, { ...wanted, qid: '5' })).toBeNull();
  });

  test('of a qubit that is new to the file is placed by its number, and all comments stay', () => {
    const edited = withFileValue(text, { ...wanted, qid: '4', label: 'Q04' });
    expect([...edited.matchAll(/Q\d+/g)].map(([label]) => label)).toEqual([
      'Q00',
      'Q03',
      'Q04',
      'Q05',
      'Q10',
    ]);
    for (const comment of text.match(/#.*/g) ?? []) expect(edited).toContain(comment);
    expect(editProblem(text, edited, { ...wanted, qid: '4' })).toBeNull();
    expect(withFileValue(text, { ...wanted, qid: '12', label: 'Q12' })).toMatch(/Q12: 51\.5\n$/);
  });

  test('keeps another spelling of the label, and a map in braces', () => {
    expect(withFileValue('data: { Q3: 1, Q007: 2 }\n', wanted)).toBe('data: { Q3: 51.5, Q007: 2 }\n');
    expect(withFileValue('data: { 3: 1 }\n', wanted)).toBe('data: { 3: 51.5 }\n');
  });

  test('makes a file where there is none, or one without values', () => {
    expect(withFileValue(null, wanted)).toBe(
      'meta:\n  description: Relaxation time\n  unit: us\ndata:\n  Q03: 51.5\n',
    );
    expect(withFileValue('meta: { unit: us }\n', wanted)).toBe('meta: { unit: us }\ndata:\n  Q03: 51.5\n');
  });

  test('can be read as a number by YAML 1.1 too, without losing a digit', () => {
    for (const [value, digits] of [
      [5e-7, '5.0e-7'],
      [-1e21, '-1.0e+21'],
      [1.5e-9, '1.5e-9'],
      [0.1 + 0.2, '0.30000000000000004'],
    ] as const) {
      const edited = withFileValue(null, { ...wanted, value });
      expect(edited).toContain(`Q03: ${digits}\n`);
      expect(parameterFile('t1.yaml', edited).values.get('3')).toBe(value);
    }
  });
});

test('a file in another unit, or with mistakes, is refused', () => {
  expect(() => withFileValue(text, { ...wanted, unit: 'ns' })).toThrow('is in us, the value in ns');
  expect(() => withFileValue('data: [1]\n', wanted)).toThrow('cannot be read');
  expect(() => withFileValue('data: { Q03: 1\n', wanted)).toThrow('cannot be read');
});

describe('reading back', () => {
  test('finds a value that is not there, and one that changed along', () => {
    expect(editProblem(text, text, wanted)).toBe('does not have the value');
    const aliased = 'data: { Q00: &same 1, Q03: *same, Q04: *same }\n';
    const edited = withFileValue(aliased, wanted);
    expect(editProblem(aliased, edited, wanted)).toBeNull();
    const both = aliased.replace('&same 1', '&same 51.5');
    expect(editProblem(aliased, both, wanted)).toBe('has another value of qubit 0 too');
    expect(editProblem(null, withFileValue(null, wanted), wanted)).toBeNull();
  });

  test('refuses a qubit that the file has twice', () => {
    const twice = 'data: { Q3: 1, Q03: 2 }\n';
    expect(editProblem(twice, withFileValue(twice, wanted), wanted)).toBe('does not have the value');
  });
});
