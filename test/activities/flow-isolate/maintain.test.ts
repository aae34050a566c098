import { afterAll, describe, expect, test } from 'vitest';
import { createFlowIsolates } from '../../../activities/flow-isolate/isolate.ts';
import { carryOut, flow } from '../../support/flow-run.ts';

const isolates = createFlowIsolates();
afterAll(() => isolates.close());

let runs = 0;

/** Carries a flow of these lines out; of every three qubits the last fails each stage. */
function run(...lines: string[]) {
  runs += 1;
  return carryOut(isolates, `maintenance ${runs}`, flow(...lines));
}

describe('a maintenance', () => {
  const maintain = (options: string) => [
    `  const done = await session.maintain(${options});`,
    '  return done;',
  ];

  test('measures what does not hold and then what depends on it, each task in a stage of its own', async () => {
    const { commands, value, entries } = await run(
      ...maintain(
        "{ targets: ['0', '1'], tasks: ['CheckRabi', { name: 'CheckT1', run_parameters: { shots: 8 } }], seconds: 600 }",
      ),
    );
    expect(commands).toEqual([
      { kind: 'maintenance', tasks: ['CheckRabi', 'CheckT1'], targets: ['0', '1'] },
      { kind: 'stage', name: 'Maintenance: CheckRabi', tasks: [{ name: 'CheckRabi' }], targets: ['0'] },
      { kind: 'changes', task: 'CheckRabi', targets: ['0'] },
      {
        ...{ kind: 'stage', name: 'Check: CheckT1', targets: ['0'] },
        tasks: [{ name: 'CheckT1', run_parameters: { shots: { value: 8 } }, check: true }],
      },
      { kind: 'checks', task: 'CheckT1', targets: ['0'] },
      {
        ...{ kind: 'stage', name: 'Maintenance: CheckT1', targets: ['0'] },
        tasks: [{ name: 'CheckT1', run_parameters: { shots: { value: 8 } } }],
      },
      { kind: 'changes', task: 'CheckT1', targets: ['0'] },
    ]);
    const measured = ['CheckRabi', 'CheckT1'].map((task) => ({ task, target: '0' }));
    const checked = [{ task: 'CheckT1', target: '0', outcome: 'out_of_specification' }];
    expect(value).toEqual({ holds: 4, checked, measured, not_repaired: [], postponed: [] });
    const messages = entries.flatMap((entry) => (entry.kind === 'log' ? entry.message : []));
    expect(messages).toEqual([
      'CheckRabi on 0: It is due. It has no check.',
      'Check of CheckT1 on 0: CheckRabi 0 changed.',
      'CheckT1 on 0: Its check is out of specification.',
    ]);
    expect(entries.at(-1)).toMatchObject({
      kind: 'record',
      name: 'maintenance',
      value: { holds: 4, checked: 1, measured: 2 },
    });
  });

  test('keeps each decision with its reason: before it measures, meanwhile, and at the end', async () => {
    const { entries } = await run(
      ...maintain("{ targets: ['0', '1', '3'], tasks: ['CheckRabi', 'CheckT1'], seconds: 600 }"),
    );
    const decisions = entries.flatMap((entry) => (entry.kind === 'decision' ? entry : []));
    expect(decisions.map(({ index }) => index)).toEqual(decisions.map((_, place) => place));
    expect(
      decisions.map(({ phase, task, targets, decision, reason }) => [
        ...[phase, `${task} ${targets.join(' ')}`, decision, reason],
      ]),
    ).toEqual([
      ['start', 'CheckRabi 0', 'calibrate', 'It is due. It has no check.'],
      ['start', 'CheckRabi 1 3', 'holds', 'It holds.'],
      ['start', 'CheckT1 0 1 3', 'holds', 'It holds.'],
      ['run', 'CheckRabi 0', 'holds', 'It was calibrated and changed.'],
      ['run', 'CheckT1 0', 'check', 'CheckRabi 0 changed.'],
      ['run', 'CheckT1 0', 'calibrate', 'Its check is out of specification.'],
      ['run', 'CheckT1 0', 'holds', 'It was calibrated and changed.'],
      ['end', 'CheckRabi 0', 'holds', 'It was calibrated and changed.'],
      ['end', 'CheckRabi 1 3', 'holds', 'It holds.'],
      ['end', 'CheckT1 0', 'holds', 'It was calibrated and changed.'],
      ['end', 'CheckT1 1 3', 'holds', 'It holds.'],
    ]);
    expect(decisions[0]).toMatchObject({
      maintenance: 0,
      state: 'due',
      parameters: ['a value'],
      check: null,
    });
    expect(decisions[2]).toMatchObject({ state: 'fresh', parameters: ['value of CheckT1'] });
    expect(decisions[5]?.check).toEqual({ outcome: 'out_of_specification', reason: 'It moved on 0.' });
  });

  test('numbers the decisions of a second one in the same run after those of the first', async () => {
    const again = "  await session.maintain({ targets: ['1'], tasks: ['CheckT1'], seconds: 600 });";
    const { entries } = await run(again, again, '  return null;');
    const decisions = entries.flatMap((entry) => (entry.kind === 'decision' ? entry : []));
    expect(decisions.map(({ index, maintenance, phase }) => [index, maintenance, phase])).toEqual([
      ...[
        [0, 0, 'start'],
        [1, 0, 'run'],
        [2, 0, 'end'],
      ],
      ...[
        [3, 1, 'start'],
        [4, 1, 'run'],
        [5, 1, 'end'],
      ],
    ]);
  });

  test('does not run a task whose check is in specification', async () => {
    const { commands, value } = await run(
      ...maintain("{ targets: ['1'], tasks: ['CheckT1'], seconds: 600 }"),
    );
    expect(commands.map(({ kind }) => kind)).toEqual(['maintenance', 'stage', 'checks']);
    const checked = [{ task: 'CheckT1', target: '1', outcome: 'in_specification' }];
    expect(value).toEqual({ holds: 1, checked, measured: [], not_repaired: [], postponed: [] });
  });

  test('says what it could not repair', async () => {
    const { value } = await run(
      ...maintain("{ targets: ['2'], tasks: ['CheckRabi', 'CheckT1'], seconds: 600 }"),
    );
    const reason = 'Its calibration failed: fit r2 0.3 is not above 0.6';
    expect(value).toMatchObject({ not_repaired: [{ task: 'CheckRabi', target: '2', reason }] });
  });

  test('ends when its time is used up', async () => {
    const { value } = await run(
      ...maintain("{ targets: ['0'], tasks: ['CheckRabi', 'CheckT1'], seconds: 15, mode: 'serial' }"),
    );
    expect(value).toMatchObject({
      measured: [{ task: 'CheckRabi' }],
      postponed: [{ task: 'CheckT1', target: '0' }],
    });
  });

  test('decides the same when its process is lost before each step', async () => {
    const of = flow(...maintain("{ targets: ['0', '2'], tasks: ['CheckRabi', 'CheckT1'], seconds: 600 }"));
    const whole = await carryOut(isolates, 'maintenance', of);
    const before = () => isolates.drop('lost maintenance');
    expect(await carryOut(isolates, 'lost maintenance', of, { before })).toEqual(whole);
  });

  test('needs a limit of time', async () => {
    await expect(run("  await session.maintain({ targets: ['0'] });")).rejects.toThrow(
      'session.maintain: seconds is the time that may be measured, above 0, but got undefined',
    );
  });
});
