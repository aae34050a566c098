import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonProblem } from '../../../shared/kernel/json-bounds.ts';

const bounds = { levels: 3, values: 10, keyCharacters: 5 };

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

test('JSON within its bounds has no problem', () => {
  expect(jsonProblem({ a: [1, { b: null }], c: 'text', d: true }, bounds)).toBeNull();
  expect(jsonProblem(nested(3), bounds)).toBeNull();
  for (const value of [null, 1, 'text', true, [], {}]) expect(jsonProblem(value, bounds)).toBeNull();
});

test('one level more than allowed is too deep, and so are a million', () => {
  expect(jsonProblem(nested(4), bounds)).toMatchObject({ kind: 'levels', path: [] });
  expect(jsonProblem(nested(1_000_000), bounds)).toMatchObject({ kind: 'levels' });
});

test('values are counted over the whole, lists and objects among them', () => {
  expect(jsonProblem(Array(9).fill(0), bounds)).toBeNull();
  expect(jsonProblem(Array(10).fill(0), bounds)).toMatchObject({ kind: 'values', path: [] });
  expect(jsonProblem([[0, 0, 0, 0], { a: 0, b: [0, 0] }], bounds)).toMatchObject({ kind: 'values' });
});

test('an error is reported with its place', () => {
  expect(jsonProblem({ a: [1, { b: Number.POSITIVE_INFINITY }] }, bounds)).toEqual({
    kind: 'number',
    path: ['a', 1, 'b'],
    message: 'should be a finite number',
  });
  expect(jsonProblem([{ a: 'x\uD800' }], bounds)).toMatchObject({ kind: 'text', path: [0, 'a'] });
  expect(jsonProblem([0, { 'a\u0000': 1 }], bounds)).toMatchObject({ kind: 'key', path: [1] });
  expect(jsonProblem({ abcdef: 1 }, bounds)).toMatchObject({ kind: 'key', path: [] });
  expect(jsonProblem({ '\uDC00': 1 }, bounds)).toMatchObject({ kind: 'key' });
});

test('what JSON can carry passes within wide bounds, and keeps its content', () => {
  const wide = { levels: 64, values: 100_000, keyCharacters: 1000 };
  fc.assert(
    fc.property(fc.json({ noUnicodeString: false }), (text) => {
      const value: unknown = JSON.parse(text);
      jsonProblem(value, wide);
      expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});
