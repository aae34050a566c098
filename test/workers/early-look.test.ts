import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createEarlyLook } from '../../workers/early-look.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function openLook(look = vi.fn(async () => {})) {
  const warnings: unknown[] = [];
  return { look, warnings, early: createEarlyLook({ warn: (...line: unknown[]) => warnings.push(line) }) };
}

test('many failures lead to one look after two seconds, and later ones to another ten seconds after it', async () => {
  const { look, early } = openLook();
  early.use(look);
  for (let failure = 0; failure < 20; failure += 1) early.notice();
  await vi.advanceTimersByTimeAsync(1999);
  expect(look).toHaveBeenCalledTimes(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(look).toHaveBeenCalledTimes(1);
  early.notice();
  await vi.advanceTimersByTimeAsync(9000);
  expect(look).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1000);
  expect(look).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(look).toHaveBeenCalledTimes(2);
});

test('a failure before the look is known is remembered, and one that is ended looks no more', async () => {
  const { look, early } = openLook();
  early.notice();
  early.use(look);
  await vi.advanceTimersByTimeAsync(2000);
  expect(look).toHaveBeenCalledTimes(1);
  early.notice();
  early.end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(look).toHaveBeenCalledTimes(1);
});

test('a look that fails is logged, and the next failure leads to another', async () => {
  const { look, warnings, early } = openLook(vi.fn(() => Promise.reject(new Error('the store is away'))));
  early.use(look);
  early.notice();
  await vi.advanceTimersByTimeAsync(2000);
  expect(warnings).toHaveLength(1);
  early.notice();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(look).toHaveBeenCalledTimes(2);
});
