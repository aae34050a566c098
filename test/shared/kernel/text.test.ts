import fc from 'fast-check';
import { MongoClient } from 'mongodb';
import { expect, inject, test } from 'vitest';
import { newId } from '../../../shared/kernel/new-ids.ts';
import {
  beginning,
  hasControlCharacters,
  isWellFormed,
  listIfText,
  literalPattern,
  wellFormed,
  wellFormedJson,
} from '../../../shared/kernel/text.ts';

/** Texts of any UTF-16 units, halves of surrogate pairs among them. */
const anyText = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) });

test('a list that a form sends as text is taken apart, numbers where they are; another text stays', () => {
  expect(listIfText('2,5.69,41')).toEqual([2, 5.69, 41]);
  expect(listIfText(' [0, "1", 1e3, -4] ')).toEqual([0, '1', 1000, -4]);
  expect(listIfText('(0, 201, 4)')).toEqual([0, 201, 4]);
  expect(listIfText('CheckT1, CheckRabi')).toEqual(['CheckT1', 'CheckRabi']);
  expect(listIfText('150 * 1024,')).toEqual(['150 * 1024', '']);
  expect(listIfText('[7]')).toEqual([7]);
  expect(listIfText('[]')).toEqual([]);
  for (const other of ['', 'a', '[1', 7, null, true]) expect(listIfText(other)).toBe(other);
  expect(listIfText([1])).toEqual([1]);
});

test('a half of a surrogate pair becomes one replacement character, and whole characters stay', () => {
  expect(wellFormed('a\uD800b')).toBe('a\uFFFDb');
  expect(wellFormed('\uDC00\uD83D\uDE00\uD83D')).toBe('\uFFFD\u{1F600}\uFFFD');
});

test('the beginning of a text has no part of a character that does not fit', () => {
  expect([0, 1, 2, 3, 4].map((length) => beginning('a\u{1F600}b', length))).toEqual([
    '',
    'a',
    'a',
    'a\u{1F600}',
    'a\u{1F600}b',
  ]);
  // What was half a character before is marked as everywhere.
  expect(beginning('\uD800ab', 2)).toBe('\uFFFDa');
});

test('any text becomes one that UTF-8 can carry, and a well-formed one stays as it is', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const made = wellFormed(text);
      expect(Buffer.from(made).toString()).toBe(made);
      expect(isWellFormed(made)).toBe(true);
      if (isWellFormed(text)) expect(made).toBe(text);
    }),
  );
});

test('JSON without halves says what the value with well-formed texts says', () => {
  fc.assert(
    fc.property(anyText, anyText, (key, text) => {
      const json = wellFormedJson(JSON.stringify({ [key]: [text] }));
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ [wellFormed(key)]: [wellFormed(text)] })));
    }),
  );
});

test('an escaped backslash before what looks like an escape is no escape', () => {
  const value = 'C:\\ud800';
  expect(JSON.parse(wellFormedJson(JSON.stringify(value)))).toBe(value);
});

test('line breaks and NUL are control characters, letters of any language are not', () => {
  expect(['a\u0000', 'a\nb', '\u007F', '\u0085'].map(hasControlCharacters)).toEqual(Array(4).fill(true));
  expect(['Rabi', 'π/2', '量子', '\u{1F600}', ''].map(hasControlCharacters)).toEqual(Array(5).fill(false));
});

test('what has a meaning in a pattern, and what JavaScript would escape, is found as it is by the store', async () => {
  const client = new MongoClient(inject('mongodb'));
  const texts = client.db(`patterns_${newId().slice(0, 8)}`).collection<{ _id: string }>('texts');
  const signs = String.raw`.*+?^$ {}()|[]\\/-#&~<>"'`;
  const all = [
    signs,
    '\u2028',
    '\u2029',
    '\u0085',
    '\n',
    '\r',
    '\t',
    'a\0b',
    '\\E',
    '\\Q',
    '(?i)',
    '量子',
    '\u{1F600}',
  ];
  try {
    await texts.insertMany(all.map((_id) => ({ _id })));
    for (const text of all) {
      const found = await texts.find({ _id: { $regex: literalPattern(text) } }).toArray();
      expect(found).toContainEqual({ _id: text });
      expect(found.every(({ _id }) => _id.includes(text))).toBe(true);
    }
  } finally {
    await texts.db.dropDatabase();
    await client.close();
  }
});
