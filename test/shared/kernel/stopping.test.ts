import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLog } from '../../../shared/kernel/log.ts';
import { stopInPhases } from '../../../shared/kernel/stopping.ts';

const log = createLog('test', 'silent');

test('phases run one after another', async () => {
  const order: string[] = [];
  const phase = (name: string) => ({
    name,
    limit: 1000,
    run: async () => {
      order.push(`${name} begins`);
      await wait(10);
      order.push(`${name} ends`);
    },
  });
  expect(await stopInPhases([phase('a'), phase('b')], log)).toBe(true);
  expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});

test('a phase that fails or takes too long does not keep the next from running', async () => {
  const ran: string[] = [];
  const clean = await stopInPhases(
    [
      { name: 'fails', limit: 1000, run: () => Promise.reject(new Error('broken')) },
      { name: 'hangs', limit: 50, run: () => new Promise(() => undefined) },
      { name: 'works', limit: 60_000, run: async () => ran.push('works') },
    ],
    log,
  );
  expect(clean).toBe(false);
  expect(ran).toEqual(['works']);
});
