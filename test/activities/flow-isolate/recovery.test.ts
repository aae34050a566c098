import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { createFlowIsolates } from '../../../activities/flow-isolate/isolate.ts';
import { carryOut, context, flow, seed } from '../../support/flow-run.ts';
import { repetitions } from '../../support/repetitions.ts';

const isolates = createFlowIsolates({ kept: 3 });
afterAll(() => isolates.close());

/** A flow that uses all that could make a difference: chance, clock, answers, helpers, errors it catches. */
const branching = flow(
  '  const measured = async (name, targets) => {',
  "    const result = await session.run({ name, tasks: ['CheckRabi', 'CheckT1'], targets });",
  '    session.log(name, result.passed, Date.now());',
  '    return result.passed;',
  '  };',
  '  let targets = session.targets.all();',
  '  for (let round = 0; targets.length > 1 && round < 6; round++) {',
  '    if (Math.random() < 0.5) await session.sleep(Math.floor(Math.random() * 100));',
  '    try { session.targets.qubits([round * 7]); } catch (error) { session.log(error.message); }',
  "    session.record('round', { round, at: new Date(), random: Math.random() });",
  "    targets = await measured('round ' + round, targets.filter(() => Math.random() < 0.9));",
  '  }',
  '  return { targets, random: Math.random(), now: Date.now() };',
);

test('wherever a run is cut and executed again, its commands, entries and end are the same', async () => {
  const whole = await carryOut(isolates, 'whole', branching);
  expect(whole.commands.length).toBeGreaterThan(4);
  expect(whole.entries.map((entry) => entry.index)).toEqual(whole.entries.map((_, index) => index));

  const cuts = fc.array(fc.boolean(), {
    minLength: whole.commands.length + 1,
    maxLength: whole.commands.length + 1,
  });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(cuts, async (cut) => {
      const key = `cut ${++run}`;
      const again = await carryOut(isolates, key, branching, {
        before: (step) => {
          if (cut[step]) isolates.drop(key);
        },
      });
      expect(again).toEqual(whole);
    }),
    { numRuns: repetitions({ quick: 10, soak: 100 }) },
  );
});

/** A flow that uses the orders: orders, filters, retries, pairs, values, an approval. */
const orders = flow(
  '  const check = await session.oneQubitCheck(session.targets.muxes([0, 1]), { fast: true });',
  '  const good = session.filter.byStatus(check);',
  "  const again = await session.retry({ name: 'R', tasks: ['CheckT1'], targets: check.failed, attempts: [{}, { shots: 8 }], mode: 'serial' });",
  "  const best = await session.filter.byMetric(good, 't1', 0.9, { measured_in: 'any_run' });",
  "  const asked = await session.approval({ question: 'Pairs?', deadline_seconds: 9, default: 'no' });",
  '  const pairs = await session.schedulePairs({ candidates: best, max_parallel_ops: 1 });',
  '  const two = await session.twoQubit(pairs);',
  "  return { again, asked, passed: two.passed, t1: await session.values('t1', best), random: Math.random() };",
);

test('schedules, values and approvals are recorded too: a run that is cut anywhere ends the same', async () => {
  const whole = await carryOut(isolates, 'orders', orders);
  expect(new Set(whole.commands.map((command) => command.kind)).size).toBe(5);
  for (let cut = 0; cut <= whole.commands.length; cut += 1) {
    const again = await carryOut(isolates, `orders ${cut}`, orders, {
      before: (step) => {
        if (step === cut) isolates.drop(`orders ${cut}`);
      },
    });
    expect(again).toEqual(whole);
  }
});

test('a new process continues where the old one was', async () => {
  const whole = await carryOut(isolates, 'old process', branching);
  for (let cut = 0; cut <= whole.commands.length; cut += 3) {
    const other = createFlowIsolates();
    const step = await other.advance('x', branching, {
      seed,
      context,
      issued: whole.commands.slice(0, cut),
      answers: whole.answers.slice(0, cut),
    });
    if (step.kind === 'command') expect(step.command).toEqual(whole.commands[cut]);
    else expect(step.value).toEqual(whole.value);
    await other.close();
  }
});

test('answers that differ from those an isolate has seen are never mixed with them', async () => {
  const of = flow(
    "  const a = await session.run({ name: 'a', tasks: ['A'], targets: ['1', '3'] });",
    '  await session.sleep(1);',
    '  return a.passed;',
  );
  const whole = await carryOut(isolates, 'other answers', of);
  const [first, second] = whole.answers;
  if (first === undefined || second === undefined || first.answer.kind !== 'stage')
    throw new Error('two answers');
  await isolates.advance('other answers', of, {
    seed,
    context,
    issued: whole.commands.slice(0, 1),
    answers: [first],
  });
  const other = { ...first, answer: { ...first.answer, passed: ['3'] } };
  const step = await isolates.advance('other answers', of, {
    seed,
    context,
    issued: whole.commands,
    answers: [other, second],
  });
  expect(step).toMatchObject({ kind: 'end', value: ['3'] });
});

test('isolates of runs that go on are kept, the least recently advanced goes first', async () => {
  const few = createFlowIsolates({ kept: 2 });
  const waiting = flow('  await session.sleep(1);');
  for (const key of ['a', 'b', 'c'])
    await few.advance(key, waiting, { seed, context, issued: [], answers: [] });
  expect(few.size).toBe(2);
  few.drop('c');
  expect(few.size).toBe(1);
  await few.advance('b', waiting, {
    seed,
    context,
    issued: [{ kind: 'sleep', seconds: 1 }],
    answers: [{ at: 0, answer: { kind: 'sleep' } }],
  });
  expect(few.size).toBe(0);
  await few.close();
  await expect(few.advance('a', waiting, { seed, context, issued: [], answers: [] })).rejects.toThrow(
    'the flow isolates are closed',
  );
});

test('a flow that fails is not kept', async () => {
  const of = flow('  await session.sleep(1);', '  null.x;');
  await expect(carryOut(isolates, 'failing', of)).rejects.toThrow(/line 3/);
  const before = isolates.size;
  isolates.drop('failing');
  expect(isolates.size).toBe(before);
});

test('many runs at once each get their own answer', async () => {
  const waiting = flow('  await session.sleep(session.parameters.n);', '  return session.parameters.n;');
  const runs = Array.from({ length: 20 }, async (_, n) => {
    const its = { ...context, parameters: { n } };
    const step = await isolates.advance(`many ${n}`, waiting, {
      seed,
      context: its,
      issued: [],
      answers: [],
    });
    if (step.kind === 'end') throw new Error('no wait');
    const end = await isolates.advance(`many ${n}`, waiting, {
      seed,
      context: its,
      issued: [step.command],
      answers: [{ at: 0, answer: { kind: 'sleep' } }],
    });
    return end.kind === 'end' ? end.value : undefined;
  });
  expect(await Promise.all(runs)).toEqual(runs.map((_, n) => n));
});

test('closing rejects what is under way and leaves nothing behind', async () => {
  const closing = createFlowIsolates();
  const run = closing.advance('a', flow('  for (;;) ;'), { seed, context, issued: [], answers: [] });
  const next = closing.advance('b', flow(''), { seed, context, issued: [], answers: [] });
  const ends = Promise.allSettled([run, next]);
  await closing.close();
  const rejected = { status: 'rejected', reason: new Error('the flow isolates are closed') };
  expect(await ends).toEqual([rejected, rejected]);
});
