import { expect, test } from 'vitest';
import type { ThreadFiling } from '../../../../shared/domain/forum/model.ts';
import {
  askedFor,
  isWithin,
  type Narrowing,
  numberAt,
  placeOf,
  searchedText,
} from '../../../../shared/domain/forum/search-rules.ts';

test('the search looks at the fields of a thread in small letters, each apart from the next', () => {
  const text = searchedText({
    title: 'Ab',
    content: 'C d',
    chip_id: 'CHIP',
    target_id: null,
    cooldown_id: null,
    assignee_username: null,
    status: 'open',
    category: 'x',
    labels: ['review'],
  });
  expect(text.split('\0')).toEqual(['ab', 'c d', 'chip', 'open', 'x', 'review']);
});

test('a question is a text, or a number with or without its sign', () => {
  expect(askedFor(' ABC ')).toEqual({ text: 'abc', number: null });
  expect(askedFor('#12')).toEqual({ text: '12', number: 12 });
  expect(askedFor('12a')).toEqual({ text: '12a', number: null });
  expect(askedFor('  # ')).toBeNull();
});

test('each number has a place of its own', () => {
  const places = Array.from({ length: 200 }, (_, number) => placeOf(number));
  expect(new Set(places.map(({ block, slot }) => `${block}/${slot}`)).size).toBe(200);
  expect(placeOf(129)).toEqual({ block: 2, slot: 1 });
  expect(places.map(({ block, slot }) => numberAt(block, slot))).toEqual(places.map((_, number) => number));
});

test('a list shows what is filed as each of its conditions says', () => {
  const filing: ThreadFiling = {
    status: 'open',
    category: 'qubit',
    labels: ['anomaly'],
    chip_id: 'CHIP',
    target_type: 'coupling',
    target_id: '0-1',
    cooldown_id: null,
  };
  const shown: Narrowing[] = [
    { status: 'all' },
    { status: 'open' },
    { status: 'all', label: 'anomaly' },
    { status: 'open', category: 'qubit', chip_id: 'CHIP', target_type: 'coupling', target_id: '0-1' },
  ];
  const others: Narrowing[] = [
    { status: 'resolved' },
    { status: 'all', label: 'review' },
    { status: 'all', category: 'coupling' },
    { status: 'all', chip_id: 'chip' },
    { status: 'all', target_type: 'qubit' },
    { status: 'all', target_id: '0' },
    { status: 'all', cooldown_id: 'CD' },
    { status: 'open', category: 'qubit', cooldown_id: '' },
  ];
  expect(shown.filter((narrowing) => !isWithin(filing, narrowing))).toEqual([]);
  expect(others.filter((narrowing) => isWithin(filing, narrowing))).toEqual([]);
});
