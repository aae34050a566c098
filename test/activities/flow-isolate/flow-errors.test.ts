import { afterAll, describe, expect, test } from 'vitest';
import { createFlowIsolates, type FlowProgram } from '../../../activities/flow-isolate/isolate.ts';
import type { FlowCommand } from '../../../shared/domain/flows/model.ts';
import { carryOut, context, firstStep, flow, program, seed, startedAt } from '../../support/flow-run.ts';
import { failureOn } from './failing-flow.ts';

const isolates = createFlowIsolates();
afterAll(() => isolates.close());

const { failure, failureOf } = failureOn(isolates);

const stage = "session.run({ name: 'Rabi', tasks: ['CheckRabi'], targets: ['1'] })";

describe('an error in the flow names flow and line', () => {
  test('a throw', async () => {
    expect(await failureOf('', "  throw new Error('not today');")).toBe(
      'thrown: flow "nightly" line 3: not today',
    );
  });

  test('a throw inside of a function after an answer', async () => {
    const of = program(
      [
        'const check = async (session) => {',
        '  await session.sleep(1);',
        "  throw new RangeError('too few');",
        '};',
        'export async function nightly(session) {',
        '  await check(session);',
        '}',
      ].join('\n'),
    );
    await expect(carryOut(isolates, 'late throw', of)).rejects.toThrow(
      'flow "nightly" line 3: RangeError: too few',
    );
  });

  test('a throw of something that is not an Error', async () => {
    expect(await failureOf('', "  throw 'not today';")).toBe('thrown: flow "nightly" line 3: not today');
    expect(await failureOf('  throw { a: 1 };')).toBe('thrown: flow "nightly" line 2: {"a":1}');
    expect(await failureOf('  throw undefined;')).toBe('thrown: flow "nightly" line 2: undefined');
  });

  test('something undefined', async () => {
    expect(await failureOf('  session.parameters', '    .every();')).toBe(
      'thrown: flow "nightly" line 3: TypeError: not a function',
    );
    expect(await failureOf('', '  session.parameters.stages.all();')).toBe(
      'thrown: flow "nightly" line 3: TypeError: cannot read property \'all\' of undefined',
    );
    expect(await failureOf('', '', '  nothing();')).toBe(
      'thrown: flow "nightly" line 4: ReferenceError: \'nothing\' is not defined',
    );
  });

  test('a member that the session does not have, with the nearest one', async () => {
    expect(await failureOf('', '  session.target.all();')).toBe(
      'thrown: flow "nightly" line 3: TypeError: session has no "target"; did you mean session.targets?',
    );
    expect(await failureOf("  session.targets.qubit(['1']);")).toBe(
      'thrown: flow "nightly" line 2: TypeError: session.targets has no "qubit"; did you mean session.targets.qubits?',
    );
    expect(await failureOf('  session.filter.everything();')).toBe(
      'thrown: flow "nightly" line 2: TypeError: session.filter has no "everything"; it has byStatus, byMetric',
    );
    const step = await firstStep(isolates, flow('  await session;', '  return typeof session.then;'));
    expect(step).toMatchObject({ kind: 'end', value: 'undefined' });
  });

  test('a syntax error and an error while the file is read', async () => {
    expect((await failure(program('const a = 1;\nconst b = ;'))).message).toBe(
      'flow "nightly" line 2: SyntaxError: unexpected token in expression: \';\'',
    );
    expect((await failure(program('const a = 1;\nnull.x;'))).message).toBe(
      'flow "nightly" line 2: TypeError: cannot read property \'x\' of null',
    );
    expect((await failure(program('const a = 1;'))).message).toBe(
      'flow "nightly" line 1: the exported async function "nightly" is missing',
    );
  });

  test('functions that call each other without end', async () => {
    expect(await failureOf('  const deeper = () => deeper() + 1;', '  deeper();')).toBe(
      'thrown: flow "nightly" line 2: InternalError: stack overflow',
    );
    expect(await failureOf("  JSON.parse('['.repeat(1e6));")).toMatch(/line 2: SyntaxError: stack overflow/);
    expect(await failureOf("  eval('('.repeat(1e5));")).toMatch(/line 2: SyntaxError: stack overflow/);
  });

  test('what the flow said before is not lost', async () => {
    const error = await failure(flow("  session.log('so far');", '  null.x;'));
    expect(error.entries).toEqual([{ kind: 'log', index: 0, message: 'so far' }]);
    expect(error.line).toBe(3);
  });
});

describe('a flow that does not end is ended', () => {
  const hasty = createFlowIsolates({ timeMs: 300, graceMs: 10_000 });
  afterAll(() => hasty.close());
  const overTime = (line: number) =>
    `time: flow "nightly" line ${line}: the flow computed for more than 0.3 s without asking for a stage or a wait; is this a loop without end?`;
  const ended = async (of: FlowProgram) => {
    const error = await failure(of, {}, hasty);
    return `${error.reason}: ${error.message}`;
  };

  test('a loop', async () => {
    expect(await ended(flow('  let x = 0;', '  while (true) {', '    x++;', '  }'))).toBe(overTime(4));
    expect(await ended(flow('  for (;;) ;'))).toBe(overTime(2));
  });

  test('a loop after an answer', async () => {
    const of = flow('  await session.sleep(1);', '  for (;;) ;');
    await expect(carryOut(hasty, 'late loop', of)).rejects.toThrow(/line 3: the flow computed/);
  });

  test('a loop of awaits', async () => {
    expect(await ended(flow('  for (;;) {', '    await null;', '  }'))).toBe(overTime(3));
  });

  test('a loop whose interruption the flow catches', async () => {
    const of = flow(
      '  const spin = async () => {',
      '    await null;',
      '    for (;;) ;',
      '  };',
      '  try { await spin(); } catch { session.log("caught"); }',
      '  await session.sleep(1);',
    );
    expect(await ended(of)).toBe(overTime(4));
  });

  test('a loop before the function is called', async () => {
    expect(await ended(program('const a = 1;\nfor (;;) ;'))).toBe(overTime(2));
  });

  test('a regular expression without end', async () => {
    expect(await ended(flow("  /(a+)+b/.test('a'.repeat(60));"))).toBe(overTime(2));
  });

  test('its messages are kept, and this process keeps running', async () => {
    let beats = 0;
    const heart = setInterval(() => {
      beats += 1;
    }, 20);
    const error = await failure(flow("  session.log('so far');", '  for (;;) ;'), {}, hasty);
    clearInterval(heart);
    expect(error.entries).toEqual([{ kind: 'log', index: 0, message: 'so far' }]);
    expect(beats).toBeGreaterThan(5);
  });

  test('a call that hears no interruption costs the thread, and the next flow gets a new one', async () => {
    const strict = createFlowIsolates({ timeMs: 300, graceMs: 200 });
    const hanging = flow('  await session.sleep(1);', '  new Array(2 ** 32 - 1).indexOf(1);');
    await expect(carryOut(strict, 'hanging', hanging)).rejects.toThrow(
      'flow "nightly": the flow computed for more than 0.3 s after the command of line 2',
    );
    expect(strict.size).toBe(0);
    expect(await firstStep(strict, flow('  return 1;'))).toMatchObject({ value: 1 });
    await strict.close();
  });

  test('what waits for nothing', async () => {
    const never = 'the flow waits for something that never happens; only calls of the session can be awaited';
    expect(await failureOf('', '  await new Promise(() => {});')).toBe(
      `stuck: flow "nightly" line 3: ${never}`,
    );
    expect((await failure(program('await new Promise(() => {});'))).message).toBe(
      'flow "nightly" line 1: await belongs inside the flow function',
    );
  });
});

describe('a flow that takes all memory is ended', () => {
  const overMemory = (line: number) =>
    `memory: flow "nightly" line ${line}: the flow uses more than 64 MB of memory; does a list or text grow without end?`;
  const patient = createFlowIsolates({ timeMs: 20_000 });
  afterAll(() => patient.close());
  const ended = async (of: FlowProgram) => {
    const error = await failure(of, {}, patient);
    return `${error.reason}: ${error.message}`;
  };

  const cases = {
    'a list of small things': '    all.push({ x: 1 });',
    'a list of large things': '    all.push(new Uint8Array(1e6));',
    'a list, even when errors are caught': "    try { all.push('a'.repeat(1000)); } catch {}",
    'a list of lists': '    all.push([...all].slice(0, 1000));',
  };
  test.each(Object.entries(cases))('%s', async (_, line) => {
    expect(await ended(flow('  const all = [1];', '  for (;;) {', line, '  }'))).toBe(overMemory(4));
  });

  test('one huge thing', async () => {
    expect(await ended(flow('', '  return new Array(1e9).fill(0);'))).toBe(overMemory(3));
    expect(await ended(flow("  let text = 'x';", '  for (;;) text = text + text;'))).toBe(
      'thrown: flow "nightly" line 3: InternalError: string too long',
    );
  });
});

describe('a missing await is refused with the line and what to do', () => {
  test('the flow ends before its stage', async () => {
    expect(await failureOf('', `  ${stage};`)).toBe(
      'command: flow "nightly" line 3: the flow ended while stage "Rabi" was under way; await is missing before it',
    );
  });

  test('the stage is inside a function that is not awaited', async () => {
    expect(
      await failureOf('  const check = async () => {', `    await ${stage};`, '  };', '  check();'),
    ).toBe(
      'command: flow "nightly" line 3: the flow ended while stage "Rabi" was under way; a function that runs a stage must be awaited where it is called',
    );
  });

  test('the result is used at once', async () => {
    expect(await failureOf(`  const rabi = ${stage};`, '  session.log(rabi.passed.length);')).toBe(
      'command: flow "nightly" line 3: await is missing before stage "Rabi" on line 2: "passed" is not known yet',
    );
  });

  test('the next stage follows at once', async () => {
    expect(await failureOf(`  ${stage};`, '  await session.sleep(3);')).toBe(
      'command: flow "nightly" line 3: the wait of 3 s was requested while stage "Rabi" of line 2 is under way; stages and waits run one at a time, so await each one before the next (is await missing on line 2?)',
    );
  });

  test('stages at the same time', async () => {
    expect(await failureOf(`  await Promise.all([1, 2].map(() => ${stage}));`)).toBe(
      'command: flow "nightly" line 2: stage "Rabi" was requested while stage "Rabi" of line 2 is under way; stages and waits run one at a time, so await each one before the next',
    );
  });

  test('the flow cannot catch it away', async () => {
    expect(await failureOf(`  ${stage};`, '  try { session.sleep(1); } catch {}', '  return 1;')).toMatch(
      /^command: flow "nightly" line 3: the wait of 1 s was requested while/,
    );
  });

  test('a failure of a call that is not awaited is reported', async () => {
    expect(
      await failureOf(
        '  const check = async () => {',
        "    throw new Error('bad wiring');",
        '  };',
        '  check();',
      ),
    ).toBe(
      'thrown: flow "nightly" line 3: bad wiring (the result was not awaited: await is missing on line 5)',
    );
  });
});

test('a run asks for at most 200 stages and waits', async () => {
  const of = flow('  for (let i = 0; ; i++)', '    await session.sleep(i);');
  const run = carryOut(isolates, 'endless', of);
  await expect(run).rejects.toThrow(
    'flow "nightly" line 3: the flow asked for more than 200 stages and waits',
  );
  await expect(run).rejects.toMatchObject({ reason: 'commands' });
  const enough = flow('  for (let i = 0; i < 200; i++) await session.sleep(i);');
  expect((await carryOut(isolates, '200', enough)).commands).toHaveLength(200);
});

describe('re-execution that asks for something else fails and names the line', () => {
  const of = flow('  await session.sleep(1);', '  await session.sleep(2);');
  const answers = [{ at: startedAt, answer: { kind: 'sleep' } as const }];

  test('another command', async () => {
    const issued = [{ kind: 'sleep', seconds: 7 } as const];
    const run = isolates.advance('diverged', of, { seed, context, issued, answers });
    await expect(run).rejects.toMatchObject({ reason: 'diverged', line: 2 });
    await expect(run).rejects.toThrow(
      'flow "nightly" line 2: re-executed, the flow asks for a wait of 1 s where it had requested a wait of 7 s before; a flow may choose only by its parameters, answers, Date and Math.random; mend the choice and start the run again',
    );
  });

  test('an earlier end', async () => {
    const issued = [1, 2, 3].map((seconds) => ({ kind: 'sleep', seconds }) as const);
    const three = [...answers, ...answers, ...answers];
    await expect(isolates.advance('ended', of, { seed, context, issued, answers: three })).rejects.toThrow(
      'flow "nightly" line 3: re-executed, the flow ended where it had requested a wait of 3 s before; a flow may choose only by',
    );
  });

  test.each([
    [{ kind: 'values', parameter: 't1', targets: ['1', '2'] }, 'the values of t1 on 2 targets'],
    [{ kind: 'qubit_schedule', mode: 'serial', qids: ['1'] }, 'a serial schedule of 1 qubits'],
    [
      { kind: 'pair_schedule', candidates: ['1', '2'], max_parallel_ops: 3, inverse: false },
      'a schedule of pairs of 2 qubits',
    ],
    [
      { kind: 'approval', question: 'warm up?', options: ['yes'], deadline_seconds: 1, default: 'yes' },
      'the approval "warm up?"',
    ],
    [
      { kind: 'stage', name: 'Rabi', tasks: [{ name: 'CheckRabi' }], targets: ['1'] },
      'stage "Rabi" (CheckRabi on 1 targets)',
    ],
  ] satisfies [FlowCommand, string][])('in place of %j', async (before, told) => {
    await expect(
      isolates.advance(`in place of ${told}`, of, { seed, context, issued: [before], answers }),
    ).rejects.toThrow(
      `flow "nightly" line 2: re-executed, the flow asks for a wait of 1 s where it had requested ${told} before; a flow may choose only by its parameters`,
    );
  });
});
