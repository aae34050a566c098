import { expect, test } from 'vitest';
import { gramsOf, searchFilter } from '../../../../shared/domain/forum/search-rules.ts';

const thread = {
  title: 'Ab',
  content: 'abc',
  chip_id: null,
  target_id: null,
  cooldown_id: null,
  assignee_username: null,
  status: 'open',
  category: 'x',
  labels: [],
} as const;

test('a thread is kept by each three characters of its fields, none across two', () => {
  expect(gramsOf({ ...thread, labels: [] })).toEqual([
    'ab\0',
    'b\0\0',
    'abc',
    'bc\0',
    'c\0\0',
    'ope',
    'pen',
    'en\0',
    'n\0\0',
    'x\0\0',
  ]);
});

test('a question of three characters is one piece, a shorter one the beginning of pieces, a longer one is read too', () => {
  expect(searchFilter(' ABC ')).toEqual({ grams: 'abc' });
  expect(searchFilter('a.')).toEqual({ grams: { $regex: '^a\\.' } });
  expect(searchFilter('abcd')).toMatchObject({ grams: { $all: ['abc', 'bcd'] }, $or: expect.any(Array) });
  expect(searchFilter('  # ')).toBeNull();
  expect(searchFilter('#12')).toEqual({ $or: [{ grams: { $regex: '^12' } }, { number: 12 }] });
});

test('a long question looks up a bounded number of pieces', () => {
  const asked = searchFilter(
    Array.from({ length: 100 }, (_, index) => String.fromCharCode(97 + (index % 26))).join(''),
  );
  expect(asked).toMatchObject({ grams: { $all: expect.objectContaining({ length: 16 }) } });
});
