import { expect, test } from 'vitest';
import { askedFor, literally, placeOf, searchedText } from '../../../../shared/domain/forum/search-rules.ts';

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
});

test('what has a meaning in a pattern is found as it is', () => {
  const odd = ['.*+?^$', '{}()|[]\\/-'].join('');
  expect(new RegExp(`^${literally(odd)}$`).test(odd)).toBe(true);
});
