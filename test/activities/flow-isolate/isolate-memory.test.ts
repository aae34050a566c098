import { expect, test } from 'vitest';
import { FlowIsolate } from '../../../activities/flow-isolate/runtime.ts';
import { Stretch } from '../../../activities/flow-isolate/stretch.ts';
import { context, flow, seed, startedAt } from '../../support/flow-run.ts';

const MEGABYTE = 1024 * 1024;
const limits = {
  timeMs: 2000,
  runMs: 60_000,
  memoryBytes: 64 * MEGABYTE,
  kept: 4,
  keptBytes: 512 * MEGABYTE,
};
/** As long as it takes. */
const stretch = new Stretch(Number.POSITIVE_INFINITY, 0, () => false);
const waiting = flow(
  '  const kept = Array.from({ length: 1000 }, (_, i) => ({ i }));',
  '  await session.sleep(1);',
  '  return kept.length;',
);

test('an isolate can be disposed of at any point of a flow', async () => {
  const fresh = await FlowIsolate.create(limits);
  fresh.dispose();

  const asked = await FlowIsolate.create(limits);
  expect(asked.start(waiting, seed, context, stretch).advance.kind).toBe('command');
  asked.dispose();
  asked.dispose();

  const ended = await FlowIsolate.create(limits);
  ended.start(waiting, seed, context, stretch);
  expect(ended.answer({ at: startedAt, answer: { kind: 'sleep' } }, stretch).advance).toMatchObject({
    value: 1000,
  });
  ended.dispose();

  const failed = await FlowIsolate.create(limits);
  expect(() => failed.start(flow('  null.x;'), seed, context, stretch)).toThrow(/line 2/);
  failed.dispose();
});

test('an ordinary flow needs no more than what every isolate has', async () => {
  const isolate = await FlowIsolate.create(limits);
  isolate.start(waiting, seed, context, stretch);
  expect(isolate.memoryBytes).toBe(16 * 1024 * 1024);
  isolate.dispose();
});

test('the memory of isolates that are gone is used again', async () => {
  const use = async (count: number) => {
    for (let i = 0; i < count; i += 1) {
      const isolate = await FlowIsolate.create(limits);
      isolate.start(waiting, seed, context, stretch);
      isolate.dispose();
    }
    return process.memoryUsage().rss / 1024 / 1024;
  };
  await use(20);
  const before = await use(20);
  const after = await use(200);
  expect(after - before).toBeLessThan(200);
});
