import { expect, test } from 'vitest';
import { readAhead } from '../../../shared/kernel/read-ahead.ts';

test('the next item is requested before the current one is used, and all come in order', async () => {
  const log: string[] = [];
  async function* source() {
    for (const item of [1, 2, 3]) {
      log.push(`read ${item}`);
      yield item;
    }
  }
  for await (const item of readAhead(source())) log.push(`use ${item}`);
  expect(log).toEqual(['read 1', 'read 2', 'use 1', 'read 3', 'use 2', 'use 3']);
});

test('an error comes after the items before it', async () => {
  async function* source() {
    yield 1;
    throw new Error('the store is away');
  }
  const used: number[] = [];
  const reading = (async () => {
    for await (const item of readAhead(source())) used.push(item);
  })();
  await expect(reading).rejects.toThrow('the store is away');
  expect(used).toEqual([1]);
});

test('a reader that stops closes the source, and a failure of the request ahead is ignored', async () => {
  let closed = false;
  async function* source() {
    try {
      yield 1;
      throw new Error('the store is away');
    } finally {
      closed = true;
    }
  }
  for await (const _ of readAhead(source())) break;
  expect(closed).toBe(true);
});
