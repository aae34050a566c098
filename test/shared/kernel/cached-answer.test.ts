import { expect, test } from 'vitest';
import { cachedAnswer } from '../../../shared/kernel/cached-answer.ts';

test('callers share an answer in the making, and the latest one for its lifetime', async () => {
  let time = 0;
  let made = 0;
  const answer = cachedAnswer(
    async () => {
      made += 1;
      return made;
    },
    1000,
    () => time,
  );
  expect(await Promise.all([answer(), answer()])).toEqual([1, 1]);
  time = 999;
  expect(await answer()).toBe(1);
  time = 1000;
  expect(await answer()).toBe(2);
});

test('a failure is not kept', async () => {
  let made = 0;
  const answer = cachedAnswer(async () => {
    made += 1;
    if (made === 1) throw new Error('away');
    return made;
  }, 1000);
  await expect(answer()).rejects.toThrow('away');
  expect(await answer()).toBe(2);
});
