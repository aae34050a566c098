import { expect, test } from 'vitest';
import { causeMessage, createCauseTally } from '../../../../shared/domain/runs/cause-rules.ts';

function commonestOf(...messages: string[]) {
  const tally = createCauseTally();
  for (const message of messages) tally.add({ task: 'CheckT1', message });
  return tally.commonest();
}

test('without failures there is no cause', () => {
  expect(commonestOf()).toBeNull();
});

test('the most frequent cause is named as it first occurred, whatever its numbers', () => {
  const fits = ['R² is 0.5', 'R² is 0.25', 'R² is 1e-3', 'R² is 2.5E+10', 'R² is 7'];
  expect(commonestOf('lost', ...fits, 'lost')).toEqual({ message: 'CheckT1: R² is 0.5', count: 5 });
});

test('in a tie the first cause wins', () => {
  expect(commonestOf('one', 'two', 'two', 'one')?.message).toBe('CheckT1: one');
});

test('causes of different tasks are counted separately', () => {
  const tally = createCauseTally();
  for (const task of ['CheckT1', 'CheckRabi', 'CheckRabi']) tally.add({ task, message: 'lost' });
  expect(tally.commonest()).toEqual({ message: 'CheckRabi: lost', count: 2 });
});

test('a message has at most 300 characters', () => {
  expect(commonestOf('x'.repeat(500))?.message).toBe(`CheckT1: ${'x'.repeat(291)}`);
});

test('beyond a thousand causes only known ones are counted', () => {
  const names = Array.from(
    { length: 1000 },
    (_, index) => 'abcdefghij'.at(index % 10)?.repeat(1 + index) ?? '',
  );
  expect(commonestOf(...names, 'new', 'new', 'new')?.count).toBe(1);
  expect(commonestOf(...names, 'new', 'new', ...names.slice(-1))).toMatchObject({ count: 2 });
});

test('a message says how often', () => {
  expect(causeMessage({ message: 'CheckT1: lost', count: 1 })).toBe('Most often, once: CheckT1: lost');
  expect(causeMessage({ message: 'CheckT1: lost', count: 2 })).toBe('Most often, 2 times: CheckT1: lost');
});
