import { afterAll, expect, test } from 'vitest';
import { createFlowIsolates } from '../../../activities/flow-isolate/isolate.ts';
import {
  answerTo,
  carryOut,
  context,
  firstStep,
  flow,
  program,
  seed,
  startedAt,
} from '../../support/flow-run.ts';

const isolates = createFlowIsolates();
afterAll(() => isolates.close());

test('a flow requests its stages one after the other and continues with the targets that passed', async () => {
  const run = await carryOut(
    isolates,
    'planning',
    flow(
      "  const rabi = await session.run({ name: 'Rabi', tasks: ['CheckRabi'], targets: session.targets.muxes([0]) });",
      '  await session.sleep(60);',
      "  const task = { name: 'CheckT1', run_parameters: { shots: 1024, time: { value: [1, 'x'] } } };",
      "  const t1 = await session.run({ name: 'T1', tasks: [task], targets: rabi.passed, parallel: 2 });",
      '  return { rabi, waited: await session.sleep(0), t1: t1.passed };',
    ),
  );
  expect(run.commands).toEqual([
    { kind: 'stage', name: 'Rabi', tasks: [{ name: 'CheckRabi' }], targets: ['0', '1', '2', '3'] },
    { kind: 'sleep', seconds: 60 },
    {
      kind: 'stage',
      name: 'T1',
      tasks: [{ name: 'CheckT1', run_parameters: { shots: { value: 1024 }, time: { value: [1, 'x'] } } }],
      targets: ['0', '1', '3'],
      parallel: 2,
    },
    { kind: 'sleep', seconds: 0 },
  ]);
  expect(run.value).toEqual({
    rabi: {
      name: 'Rabi',
      status: 'completed',
      counts: { completed: 3, failed: 1, skipped: 0, cancelled: 0, total: 4 },
      passed: ['0', '1', '3'],
      failed: ['2'],
      failures: [{ target: '2', task: 'CheckRabi', message: 'fit r2 0.3 is not above 0.6' }],
      truncated: false,
    },
    t1: ['0', '1', '3'],
  });
});

test('a command tells the line that asked for it', async () => {
  const step = await firstStep(
    isolates,
    flow(
      '  const a = 1;',
      '  await session.run({',
      "    name: 'Rabi',",
      "    tasks: ['CheckRabi'],",
      "    targets: ['1'],",
      '  });',
    ),
  );
  expect(step).toMatchObject({ kind: 'command', index: 0, line: 3 });
});

test('a stage without targets is not run: empty never means all', async () => {
  const run = await carryOut(
    isolates,
    'empty',
    flow("  return await session.run({ name: 'T1', tasks: ['CheckT1'], targets: [] });"),
  );
  expect(run.commands).toEqual([]);
  expect(run.value).toMatchObject({ status: 'skipped', counts: { total: 0 }, passed: [], failed: [] });
  expect(run.entries).toEqual([
    { kind: 'log', index: 0, message: 'stage "T1" has no targets and is not run' },
  ]);
});

test('targets are each taken once, in the order given', async () => {
  const step = await firstStep(
    isolates,
    flow(
      "  await session.run({ name: 'x', tasks: ['A'], targets: [3, '1', ...session.targets.muxes([0, '0'])] });",
    ),
  );
  expect(step).toMatchObject({ command: { targets: ['3', '1', '0', '2'] } });
});

test('failed targets are known even where the list of failures was cut', async () => {
  const of = flow(
    "  return (await session.run({ name: 'x', tasks: ['A'], targets: ['0', '1', '2'] })).failed;",
  );
  const first = await isolates.advance('cut', of, { seed, context, issued: [], answers: [] });
  if (first.kind === 'end') throw new Error('no command');
  const counts = { completed: 1, failed: 2, skipped: 0, cancelled: 0, total: 3 };
  const answer = {
    kind: 'stage',
    name: 'x',
    status: 'completed',
    counts,
    passed: ['1'],
    failed: [],
  } as const;
  const end = await isolates.advance('cut', of, {
    seed,
    context,
    issued: [first.command],
    answers: [{ at: startedAt, answer: { ...answer, passed: ['1'], failed: [], truncated: true } }],
  });
  expect(end).toMatchObject({ kind: 'end', value: ['0', '2'] });
});

test('messages and records are numbered together, over the life of the run', async () => {
  const run = await carryOut(
    isolates,
    'entries',
    flow(
      "  session.log('start', 1, { a: [true] }, undefined);",
      "  session.record('limit', session.parameters.limits);",
      '  await session.sleep(1);',
      "  console.warn('again');",
    ),
  );
  expect(run.entries).toEqual([
    { kind: 'log', index: 0, message: 'start 1 {"a":[true]} undefined' },
    { kind: 'record', index: 1, name: 'limit', value: { low: 1 } },
    { kind: 'log', index: 2, message: 'again' },
  ]);
});

test('long messages are cut', async () => {
  const run = await carryOut(isolates, 'long', flow("  session.log('x'.repeat(5000));"));
  expect(run.entries).toEqual([{ kind: 'log', index: 0, message: `${'x'.repeat(1999)}…` }]);
});

test('of too many messages between two commands the first and the newest are handed out, and all values', async () => {
  const run = await carryOut(
    isolates,
    'many',
    flow(
      '  for (let i = 0; i < 30000; i++) {',
      '    session.log(i);',
      "    if (i === 15000) session.record('middle', i);",
      '  }',
    ),
  );
  expect(run.entries).toHaveLength(10_002);
  expect(run.entries.slice(0, 5000).map(({ index }) => index)).toEqual(
    Array.from({ length: 5000 }, (_, i) => i),
  );
  expect(run.entries.slice(5000, 5002)).toEqual([
    {
      kind: 'log',
      index: 5000,
      message: '20000 messages are left out here: a flow logged too many without a command between them',
    },
    { kind: 'record', index: 15_001, name: 'middle', value: 15_000 },
  ]);
  expect(run.entries.at(5002)).toEqual({ kind: 'log', index: 25_001, message: '25000' });
  expect(run.entries.at(-1)).toEqual({ kind: 'log', index: 30_000, message: '29999' });
});

test('messages of many characters are handed out within a bound', async () => {
  const run = await carryOut(
    isolates,
    'wide',
    flow("  for (let i = 0; i < 5000; i++) session.log(i + 'x'.repeat(1900));"),
  );
  const characters = run.entries.reduce(
    (sum, entry) => sum + (entry.kind === 'log' ? entry.message.length : 0),
    0,
  );
  expect(characters).toBeLessThan(2 * 1024 * 1024 + 2000);
  expect(run.entries[0]).toMatchObject({ index: 0 });
  expect(run.entries.at(-1)).toMatchObject({ index: 4999 });
});

test('a run records at most 1000 values', async () => {
  const run = carryOut(
    isolates,
    'values',
    flow("  for (let i = 0; i < 1001; i++) session.record('value', i);"),
  );
  await expect(run).rejects.toThrow('session.record: a run records at most 1000 values');
});

test('the clock starts with the run and moves with the answers only', async () => {
  const run = await carryOut(
    isolates,
    'clock',
    flow(
      '  const start = new Date();',
      '  let spin = 0;',
      '  while (spin < 100000) spin++;',
      '  const still = Date.now() - start.getTime();',
      '  await session.sleep(10);',
      '  return { start, still, moved: Date.now() - start.getTime(), text: Date(), kind: start instanceof Date,',
      '    given: new Date(2026, 0, 5, 9).toISOString(), zone: start.getTimezoneOffset(), hours: start.getHours() };',
    ),
  );
  expect(run.value).toEqual({
    start: '2026-01-05T08:00:00.000Z',
    still: 0,
    moved: 10_000,
    text: 'Mon Jan 05 2026 08:00:10 GMT+0000',
    kind: true,
    given: '2026-01-05T09:00:00.000Z',
    zone: 0,
    hours: 8,
  });
});

test('random numbers follow from the seed', async () => {
  const of = flow('  return [Math.random(), Math.random()];');
  const draw = async (randomSeed: string) => {
    const step = await isolates.advance(`random ${randomSeed}`, of, {
      seed: { ...seed, randomSeed },
      context,
      issued: [],
      answers: [],
    });
    return step.kind === 'end' ? step.value : undefined;
  };
  const [one, again, other] = [await draw('a'), await draw('a'), await draw('b')];
  expect(again).toEqual(one);
  expect(other).not.toEqual(one);
});

test('a step that is requested again answers the same', async () => {
  const of = flow(
    "  session.log('once');",
    '  await session.sleep(1);',
    "  session.log('twice');",
    '  await session.sleep(2);',
  );
  const first = await isolates.advance('again', of, { seed, context, issued: [], answers: [] });
  expect(await isolates.advance('again', of, { seed, context, issued: [], answers: [] })).toEqual(first);
  if (first.kind === 'end') throw new Error('no command');
  const answers = [answerTo(first.command, 0)];
  const second = await isolates.advance('again', of, { seed, context, issued: [first.command], answers });
  expect(await isolates.advance('again', of, { seed, context, issued: [first.command], answers })).toEqual(
    second,
  );
  // Also when the command under way was recorded already, and also from an earlier place.
  if (second.kind === 'end') throw new Error('no command');
  const issued = [first.command, second.command];
  expect(await isolates.advance('again', of, { seed, context, issued, answers })).toEqual(second);
  expect(await isolates.advance('again', of, { seed, context, issued, answers: [] })).toEqual(first);
});

test('runs do not share anything', async () => {
  const of = program(
    'let count = 0;\nexport async function nightly(session) {\n  count++;\n  await session.sleep(1);\n  return count;\n}',
  );
  const [one, other] = await Promise.all([carryOut(isolates, 'one', of), carryOut(isolates, 'other', of)]);
  expect([one.value, other.value]).toEqual([1, 1]);
});

test('a flow without a value ends with null', async () => {
  expect(await firstStep(isolates, flow(''))).toEqual({ kind: 'end', value: null, entries: [] });
});

test('strange but valid code runs as it is written', async () => {
  const run = await carryOut(
    isolates,
    'syntax',
    flow(
      '  const seen = []',
      '  outer: for (const a of [1, 2, 3]) for (const b of [1, 2]) if (b === 2) continue outer; else seen.push(a)',
      '  let i = 0; do i++; while (i < 3) seen.push(i)',
      '  switch (i) { case 3: seen.push("three"); break; default: seen.push("none") }',
      '  if (i > 5) seen.push("big")',
      '  else if (i > 2) seen.push("middle"); else seen.push("small")',
      '  for (;;) break',
      '  class A { static #x = 1; static { seen.push(A.#x) } constructor() { seen.push("made") } }',
      '  class B extends A { constructor() { super() } }',
      '  new B()',
      '  const add = (x) => x + 1',
      '  ;[1].forEach((x) => seen.push(add(x)))',
      '  try { null.x } catch { seen.push("caught") } finally { seen.push("done") }',
      '  var later = function () { return String(seen.length) }',
      '  seen.push(later?.())',
      '  void 0, seen.push("comma")',
      '  return seen',
    ),
  );
  expect(run.value).toEqual([1, 2, 3, 3, 'three', 'middle', 1, 'made', 2, 'caught', 'done', '11', 'comma']);
});
