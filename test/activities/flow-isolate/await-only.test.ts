import { expect, test } from 'vitest';
import { awaitOnly } from '../../../activities/flow-isolate/inside/await-only.ts';

const on = { await() {}, misuse: (property: string) => new Error(`misuse of ${property}`) };

test('finally waits for its callback after a call that succeeds, and keeps the result', async () => {
  const order: string[] = [];
  const call = awaitOnly<number>((resolve) => resolve(1), on).finally(async () => {
    await Promise.resolve();
    order.push('callback');
  });
  expect(await call).toBe(1);
  expect(order).toEqual(['callback']);
});

test('finally calls its callback after a call that fails, and keeps the error', async () => {
  const order: string[] = [];
  const call = awaitOnly<number>((_, reject) => reject(new Error('the call failed')), on).finally(() => {
    order.push('callback');
  });
  await expect(call).rejects.toThrow('the call failed');
  expect(order).toEqual(['callback']);
});
