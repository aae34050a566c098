import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { serializeAnswers, trimOf } from '../../api/plugins/serialization.ts';

/** A folder in a folder. */
const folder = z.object({
  name: z.string(),
  get children() {
    return z.array(folder);
  },
});

const value = z.object({ value: z.number().nullable(), unit: z.string().default('') });

/** Schemas of every kind that answers use, with what an operation may hand over. */
const answers: readonly [name: string, schema: z.ZodType, answer: unknown][] = [
  ['an object', z.object({ a: z.string(), b: z.int() }), { b: 1, secret: 2, a: 'x' }],
  ['objects in a list', z.object({ rows: z.array(value) }), { rows: [{ value: 1, unit: 'GHz', hidden: 3 }] }],
  ['objects by name', z.record(z.string(), value), { t1: { unit: 'us', value: null, hidden: 1 } }],
  ['null for an object', z.object({ note: value.nullable() }), { note: null }],
  [
    'an object that may be null',
    z.object({ note: value.nullable() }),
    { note: { value: 2, unit: '', x: 1 } },
  ],
  ['a field left out', z.object({ a: z.string().optional() }), { a: undefined, b: 1 }],
  ['one of several objects', z.union([z.object({ a: z.string() }), value]), { value: 1, unit: 'K', x: 1 }],
  [
    'the larger of two objects',
    z.union([value.extend({ note: z.string() }), value]),
    { value: 1, unit: 'K', note: '', x: 1 },
  ],
  [
    'the smaller of two objects',
    z.union([value.extend({ note: z.string() }), value]),
    { value: 1, unit: 'K', x: 1 },
  ],
  [
    'one of two objects that hold others under one name',
    z.union([
      z.object({
        kind: z.literal('a'),
        of: z.object({ left: z.int().optional() }),
        more: z.int().optional(),
      }),
      z.object({ kind: z.literal('b'), of: z.object({ right: z.int() }) }),
    ]),
    { kind: 'b', of: { left: 1, right: 2 } },
  ],
  [
    'one of two objects that a field tells apart',
    z.union([
      z.object({ known: z.literal(false), why: z.string().optional() }),
      z.object({ known: z.literal(true), name: z.object({ first: z.string() }) }),
    ]),
    { known: true, name: { first: 'a', last: 'b' } },
  ],
  [
    'one of two objects of which only the other may have a field more',
    z.union([
      z.object({ kind: z.literal('a'), secret: z.string().optional() }),
      z.object({ kind: z.literal('b') }),
    ]),
    { kind: 'b', secret: 'x' },
  ],
  [
    'one of two objects of which the second takes any field',
    z.union([z.object({ a: z.int(), b: z.int().optional() }), z.looseObject({ a: z.string() })]),
    { a: 'x', c: 1 },
  ],
  ['one of several plain kinds', z.array(z.union([z.string(), z.int()])), ['a', 1]],
  ['any fields', z.looseObject({ a: value }), { a: { value: 1, unit: '', x: 2 }, b: 3 }],
  [
    'other fields of one kind',
    z.object({ stages: z.int().optional() }).catchall(z.string()),
    { menu_name: 'Night', stages: 2 },
  ],
  [
    'others that are objects',
    z.object({ a: z.int() }).catchall(value),
    { b: { value: 1, unit: '', x: 2 }, a: 1 },
  ],
  ['anything', z.object({ data: z.unknown() }), { data: { deep: [1, { kept: true }] } }],
  ['a fixed list', z.object({ pair: z.tuple([z.int(), z.int()]) }), { pair: [1, 2] }],
  [
    'what leads back to itself',
    folder,
    { name: 'a', children: [{ name: 'b', children: [], size: 3 }], size: 4 },
  ],
  ['what is made later', z.lazy(() => z.object({ a: z.int() })), { a: 1, b: 2 }],
  ['a literal', z.object({ type: z.literal('x'), list: z.enum(['a', 'b']) }), { type: 'x', list: 'b', c: 1 }],
];

describe('the text of an answer', () => {
  test.each(answers)('has the fields of its schema and no others: %s', (_name, schema, answer) => {
    expect(trimOf(schema)(answer)).toEqual(z.encode(schema, answer));
    const text = serializeAnswers()({ schema, method: 'GET', url: '/' })(answer);
    expect(text).toBe(JSON.stringify(z.encode(schema, answer)));
  });

  test('keeps a field called __proto__ of a record as a field', () => {
    const answer: unknown = JSON.parse('{"__proto__": {"value": 1, "unit": "", "hidden": 2}}');
    const text = serializeAnswers()({ schema: z.record(z.string(), value), method: 'GET', url: '/' })(answer);
    expect(text).toBe('{"__proto__":{"value":1,"unit":""}}');
  });
});
