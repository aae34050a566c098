import { expect, test } from 'vitest';
import {
  createFlowIsolates,
  FlowStopped,
  type TimedAnswer,
} from '../../../activities/flow-isolate/isolate.ts';
import type { FlowCommand } from '../../../shared/domain/flows/model.ts';
import { answerTo, context, flow, seed } from '../../support/flow-run.ts';
import { repetitions } from '../../support/repetitions.ts';

/** Where every flow begins. */
const begin = { seed, context, issued: [], answers: [] };

/** A flow that computes until it is stopped, one that computes and waits again and again, and one that only waits. */
const loop = flow('  for (;;) ;');
const computing = flow(
  '  for (let step = 0; step < 50; step += 1) {',
  '    for (let i = 0; i < 3e5; i += 1) ;',
  '    await session.sleep(1);',
  '  }',
);
const short = flow('  for (let step = 0; step < 5; step += 1) await session.sleep(1);');

/** Carries a flow out and tells of each step, until `stepped` says that it is enough. */
async function walk(
  isolates: ReturnType<typeof createFlowIsolates>,
  tenant: string,
  of: typeof short,
  stepped: () => boolean,
): Promise<void> {
  const issued: FlowCommand[] = [];
  const answers: TimedAnswer[] = [];
  for (;;) {
    const step = await isolates.advance(tenant, of, { seed, context, issued, answers }, { tenant });
    if (stepped() || step.kind === 'end') return;
    answers.push(answerTo(step.command, step.index));
    issued.push(step.command);
  }
}

test.each(repetitions({ quick: [2], soak: [2, 3] }))(
  'flows of 24 tenants that compute do not keep that of another one waiting, with %i threads',
  async (threads) => {
    const isolates = createFlowIsolates({ threads });
    let turns = 0;
    let over = false;
    const hogs = Array.from({ length: 24 }, (_, i) =>
      walk(isolates, `hog ${i}`, computing, () => {
        turns += 1;
        return over;
      }),
    );
    // All have shown by now what they are.
    await expect.poll(() => turns).toBeGreaterThanOrEqual(48);
    const before = turns;
    await walk(isolates, 'short', short, () => false);
    const meanwhile = turns - before;
    over = true;
    await Promise.all(hogs);
    await isolates.close();
    // First come, first served, they would have had 24 for each of its six steps, so 144. Some come between its steps.
    expect(meanwhile).toBeLessThan(72);
  },
);

test('a flow that computes is stopped at once when nobody waits for it, and its thread keeps the others', async () => {
  const isolates = createFlowIsolates({ timeMs: 3_600_000, graceMs: 3_600_000, runMs: 3_600_000 });
  await isolates.advance('kept', short, begin);
  const stopping = new AbortController();
  const asking = { signal: stopping.signal };
  const running = isolates.advance('a', loop, begin, asking);
  const waiting = isolates.advance('b', loop, begin, asking);
  const next = isolates.advance('c', short, begin);
  const ends = Promise.allSettled([running, waiting]);
  stopping.abort();
  for (const end of await ends) expect(end).toMatchObject({ reason: expect.any(FlowStopped) });
  expect(await next).toMatchObject({ kind: 'command' });
  expect(isolates.size).toBe(2);
  await expect(isolates.advance('d', short, begin, asking)).rejects.toBeInstanceOf(FlowStopped);
  await isolates.close();
});

test('a flow that hears no interruption is stopped with its thread', async () => {
  const isolates = createFlowIsolates({ timeMs: 3_600_000, graceMs: 3_600_000, runMs: 3_600_000 });
  const deaf = flow('  new Array(2 ** 32 - 1).indexOf(1);');
  const stopping = new AbortController();
  const running = isolates.advance('a', deaf, begin, { signal: stopping.signal });
  const ended = expect(running).rejects.toBeInstanceOf(FlowStopped);
  stopping.abort();
  await ended;
  expect(await isolates.advance('b', short, begin)).toMatchObject({ kind: 'command' });
  await isolates.close();
});

test('the processor time of all steps of a run is bounded, and the cost of each is reported', async () => {
  const isolates = createFlowIsolates({ timeMs: 60_000, runMs: 300 });
  let spentMs = 0;
  const asking = () => ({
    spentMs,
    onSpent: (ms: number) => {
      spentMs += ms;
    },
  });
  const over = 'flow "nightly" line 2: the flow computed for more than 0.3 s in all of this run';
  await expect(isolates.advance('a', loop, begin, asking())).rejects.toThrow(over);
  expect(spentMs).toBeGreaterThanOrEqual(300);
  await expect(isolates.advance('a', short, begin, asking())).rejects.toThrow(
    'computed for more than 0.3 s in all of this run',
  );
  expect(await isolates.advance('b', short, begin)).toMatchObject({ kind: 'command' });
  await isolates.close();
});
