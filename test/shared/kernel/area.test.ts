import { afterAll, expect, test } from 'vitest';
import { defineArea, type Kernel, noAreas } from '../../../shared/kernel/area.ts';
import { openOwnAreas } from '../../support/own-areas.ts';

const { kernel, close: closeOwn } = await openOwnAreas();
afterAll(closeOwn);

/** Areas that note what is made and closed, each over the one before. */
function noting() {
  const made: string[] = [];
  const closed: string[] = [];
  const numbers = defineArea({
    name: 'numbers',
    indexes: [{ collection: 'numbers', indexes: [] }],
    create: ({ settings }: Kernel) => {
      made.push('numbers');
      return { half: (value: number) => value / 2, zone: settings.TIMEZONE };
    },
    close: async ({ zone }) => void closed.push(`numbers of ${zone}`),
  });
  const words = defineArea({
    name: 'words',
    indexes: [{ collection: 'words', indexes: [] }],
    create: ({ numbers }: { numbers: { half(value: number): number } }) => {
      made.push('words');
      return { halfOf: (text: string) => text.slice(0, numbers.half(text.length)) };
    },
    close: async () => void closed.push('words'),
  });
  return { list: noAreas().with(numbers).with(words), made, closed };
}

test('an area is made when it is first asked for, with those that it needs, and once', async () => {
  const { list, made } = noting();
  const { areas } = list.open(kernel);
  expect(made).toEqual([]);
  expect(areas.words.halfOf('area')).toBe('ar');
  expect(areas.words).toBe(areas.words);
  expect(areas.numbers.half(4)).toBe(2);
  expect(made).toEqual(['numbers', 'words']);
});

test('what was made is closed, once, and nothing else', async () => {
  const { list, closed } = noting();
  const { areas, close } = list.open(kernel);
  await close();
  expect(closed).toEqual([]);
  expect(areas.numbers.zone).toBe(kernel.settings.TIMEZONE);
  await Promise.all([close(), close()]);
  expect(closed).toEqual([`numbers of ${kernel.settings.TIMEZONE}`]);
});

test('each opening has operations of its own', () => {
  const { list, made } = noting();
  expect(list.open(kernel).areas.numbers).not.toBe(list.open(kernel).areas.numbers);
  expect(made).toEqual(['numbers', 'numbers']);
});

test('the collections of all areas are known without opening them', () => {
  const { list, made } = noting();
  expect(list.collections.map(({ collection }) => collection)).toEqual(['numbers', 'words']);
  expect(made).toEqual([]);
});

test('an area that needs one that is not below it does not pass the type check', () => {
  const lonely = defineArea({
    name: 'lonely',
    indexes: [],
    create: ({ friends }: Kernel & { friends: readonly string[] }) => friends,
  });
  // @ts-expect-error: nothing gives it friends
  const list = noAreas().with(lonely);
  expect(list.open(kernel).areas.lonely).toBeUndefined();
});

test('an area whose setting is in no list of settings does not pass the type check', () => {
  const limited = defineArea({
    name: 'limited',
    indexes: [],
    create: ({ settings }: Kernel<{ LIMIT: number }>) => settings.LIMIT,
  });
  // @ts-expect-error: nothing has LIMIT
  const list = noAreas().with(limited);
  expect(list.open(kernel).areas.limited).toBeUndefined();
  expect(noAreas<{ LIMIT: number }>().with(limited).collections).toEqual([]);
});
