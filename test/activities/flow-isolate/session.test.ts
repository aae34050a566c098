import { afterAll, describe, expect, test } from 'vitest';
import { createFlowIsolates } from '../../../activities/flow-isolate/isolate.ts';
import type { FlowCommand } from '../../../shared/domain/flows/model.ts';
import { carryOut, context, flow, seed, startedAt } from '../../support/flow-run.ts';

const isolates = createFlowIsolates();
afterAll(() => isolates.close());

let runs = 0;

/** Carries a flow of these lines out; of every three qubits the last fails each stage. */
function run(...lines: string[]) {
  runs += 1;
  return carryOut(isolates, `session ${runs}`, flow(...lines));
}

const kinds = (commands: readonly FlowCommand[]) => commands.map((command) => command.kind);

describe('a stage in an order', () => {
  test('of a mode is scheduled before it is run', async () => {
    const { commands } = await run(
      "  await session.run({ name: 'T1', tasks: ['CheckT1'], targets: session.targets.muxes([0, 1]), mode: 'scheduled' });",
    );
    expect(commands).toEqual([
      { kind: 'qubit_schedule', qids: ['0', '1', '2', '3', '4', '5', '6', '7'], mode: 'scheduled' },
      {
        kind: 'stage',
        name: 'T1',
        tasks: [{ name: 'CheckT1' }],
        targets: ['0', '1', '2', '3', '4', '5', '6', '7'],
        schedule: [
          [
            ['0', '1', '2', '3'],
            ['4', '5', '6', '7'],
          ],
        ],
      },
    ]);
  });

  test('that leaves out a qubit is refused with the reason', async () => {
    const of = flow("  await session.run({ name: 'T1', tasks: ['A'], targets: ['1'], mode: 'serial' });");
    const issued: FlowCommand[] = [{ kind: 'qubit_schedule', qids: ['1'], mode: 'serial' }];
    const excluded = [{ target: '1', reason: 'MUX 0 is not wired.' }];
    const answer = { kind: 'qubit_schedule', schedule: [], excluded, notes: [] } as const;
    await expect(
      isolates.advance('no place', of, {
        seed,
        context,
        issued,
        answers: [{ at: startedAt, answer: { ...answer, schedule: [], notes: [] } }],
      }),
    ).rejects.toThrow(
      /line 2: .*stage "T1": 1 qubits have no place in mode serial: 1 \(MUX 0 is not wired.\)/,
    );
  });

  test('of its own is narrowed to its targets', async () => {
    const { commands } = await run(
      "  await session.run({ name: 'T1', tasks: ['CheckT1'], schedule: [[[0, 1], [4]], [[2]]], targets: [1, 4] });",
    );
    expect(commands).toMatchObject([{ targets: ['1', '4'], schedule: [[['1'], ['4']]] }]);
  });

  test('measures pairs one after another, because it is not known which of them share a qubit', async () => {
    const { commands } = await run(
      "  await session.run({ name: 'CR', tasks: ['CheckCrossResonance'], targets: session.targets.pairs([[0, 1], '3-2']) });",
    );
    expect(commands).toMatchObject([{ kind: 'stage', schedule: [[['0-1', '3-2']]] }]);
  });

  test('has run parameters for all of its tasks, and passes over those that are not given', async () => {
    const { commands } = await run(
      "  await session.run({ name: 'T1', tasks: ['CheckT1'], targets: ['1'], run_parameters: { shots: 16, interval: undefined } });",
    );
    expect(commands).toMatchObject([{ run_parameters: { shots: { value: 16 } } }]);
  });
});

describe('stage helpers', () => {
  test('run their lists in their order, unless told otherwise', async () => {
    const { commands } = await run(
      "  await session.bringUp(['0']);",
      "  await session.oneQubitCheck(['0'], { fast: true, configure: true, mode: 'serial', name: 'Mine' });",
      "  await session.oneQubitFineTune(['0'], { tasks: ['CheckT1'], parallel: 2 });",
      "  await session.twoQubit(session.targets.pairGroups([['0-1'], ['3-1']]), { tasks: ['CheckZX90'] });",
    );
    const stages = commands.flatMap((command) => (command.kind === 'stage' ? [command] : []));
    expect(stages.map(({ name, tasks }) => [name, tasks.map((task) => task.name).join(' ')])).toEqual([
      ['Bring-up', 'CheckResonatorSpectroscopy CheckQubitSpectroscopy CheckControlAmplitude CheckChevron'],
      ['Mine', 'Configure CheckRabi CreateHPIPulse CheckHPIPulse'],
      ['One-qubit fine-tune', 'CheckT1'],
      ['Two-qubit calibration', 'CheckZX90'],
    ]);
    expect(commands.flatMap((command) => (command.kind === 'qubit_schedule' ? [command.mode] : []))).toEqual([
      'scheduled',
      'serial',
      'synchronized',
    ]);
    expect(stages.at(2)?.parallel).toBe(2);
    expect(stages.at(3)?.schedule).toEqual([[['0-1']], [['3-1']]]);
  });

  test('a schedule of pairs contains groups, direction and the pairs left out, and one qubit needs no request', async () => {
    const { commands, value, entries } = await run(
      '  const pairs = await session.schedulePairs({ candidates: session.targets.muxes([0]) });',
      "  const none = await session.schedulePairs({ candidates: ['3'] });",
      '  const stage = await session.twoQubit(none);',
      '  return { pairs, none, status: stage.status };',
    );
    expect(kinds(commands)).toEqual(['pair_schedule']);
    expect(value).toMatchObject({
      pairs: { groups: expect.any(Array), direction: 'design', excluded_count: 0 },
      none: { groups: [], pairs: [], direction: 'none' },
      status: 'skipped',
    });
    const [said] = entries;
    expect(said).toMatchObject({
      message: expect.stringMatching(/^4 pairs in \d groups, direction by design/),
    });
  });
});

describe('filters', () => {
  test('keep those that passed a stage, and record what they did', async () => {
    const { value, entries } = await run(
      "  const check = await session.run({ name: 'Check', tasks: ['CheckT1'], targets: ['0', '1', '2'] });",
      '  return session.filter.byStatus(check);',
    );
    expect(value).toEqual(['0', '1']);
    expect(entries).toEqual([
      {
        kind: 'record',
        index: 0,
        name: 'filter',
        value: { criteria: 'targets of "Check" that passed', input: 3, output: 2, pass_rate: 2 / 3 },
      },
      { kind: 'log', index: 1, message: 'filter "targets of "Check" that passed": 2 of 3 targets pass' },
    ]);
  });

  test.each([
    ['x90_fidelity', 'x90_gate_fidelity'],
    ['rb_fidelity', 'average_gate_fidelity'],
    ['bell_fidelity', 'bell_state_fidelity'],
    ['zx90_fidelity', 'zx90_gate_fidelity'],
    ['t1_average', 't1_average'],
  ])('by metric %s look at %s', async (metric, parameter) => {
    const { commands } = await run(`  await session.filter.byMetric(['1', '8'], '${metric}', 0.9);`);
    expect(commands).toEqual([{ kind: 'values', parameter, targets: ['1', '8'] }]);
  });

  test('by metric keep what is at least the threshold and was found in this run, unless any run will do', async () => {
    // The value of qubit n is 0.9 + n/1000; those of multiplexer 1 are from an earlier run.
    const { value } = await run(
      "  const now = await session.filter.byMetric(['0', '1', '5', '8'], 't1', 0.901);",
      "  const ever = await session.filter.byMetric(['0', '1', '5', '8'], 't1', 0.901, { measured_in: 'any_run' });",
      '  return [now, ever];',
    );
    expect(value).toEqual([
      ['1', '8'],
      ['1', '5', '8'],
    ]);
  });

  test('that let nothing through end the flow with a message, whatever the flow catches', async () => {
    const byStatus = await run(
      "  const check = await session.run({ name: 'Check', tasks: ['CheckT1'], targets: ['2', '5'] });",
      '  try { session.filter.byStatus(check); } catch {}',
      "  await session.run({ name: 'All', tasks: ['CheckT1'], targets: session.targets.all() });",
    );
    expect(byStatus).toMatchObject({
      commands: [{ name: 'Check' }],
      value: null,
      message: 'The flow ended because none of 2 targets passed the filter "targets of "Check" that passed".',
    });
    const byMetric = await run(
      "  try { await session.filter.byMetric(['1'], 't1', 2); } catch { await session.sleep(1); }",
    );
    expect(byMetric).toMatchObject({
      commands: [{ kind: 'values' }],
      message: 'The flow ended because none of 1 targets passed the filter "t1 >= 2".',
    });
    const ofNothing = await run("  await session.filter.byMetric([], 't1', 2);");
    expect(ofNothing).toMatchObject({ commands: [], message: expect.stringMatching(/none of 0 targets/) });
  });
});

test('retries run what failed again with changed run parameters, and list the attempts', async () => {
  const { commands, value, entries } = await run(
    "  return await session.retry({ name: 'Rabi', tasks: ['CheckRabi'], targets: ['0', '2'], run_parameters: { shots: 8, interval: 1 }, attempts: [{}, { shots: 16 }] });",
  );
  expect(commands).toMatchObject([
    {
      name: 'Rabi, attempt 1',
      targets: ['0', '2'],
      run_parameters: { shots: { value: 8 }, interval: { value: 1 } },
    },
    {
      name: 'Rabi, attempt 2',
      targets: ['2'],
      run_parameters: { shots: { value: 16 }, interval: { value: 1 } },
    },
  ]);
  expect(value).toEqual({
    passed: ['0'],
    failed: ['2'],
    attempts: [
      { run_parameters: { shots: 8, interval: 1 }, input_offsets: {}, passed: ['0'], failed: ['2'] },
      { run_parameters: { shots: 16, interval: 1 }, input_offsets: {}, passed: [], failed: ['2'] },
    ],
  });
  expect(entries[0]).toMatchObject({ message: 'attempt 1: 2, CheckRabi: fit r2 0.3 is not above 0.6' });
});

test('retries may measure beside the stored values, over the offsets of the stage', async () => {
  const { commands, value } = await run(
    "  return await session.retry({ name: 'Rabi', tasks: ['CheckRabi'], targets: ['2'], input_offsets: { control_amplitude: 0.1 },",
    '    attempts: [{ run_parameters: { shots: 8 } }, { run_parameters: { shots: 9 }, input_offsets: { qubit_frequency: 0.001, control_amplitude: null } }] });',
  );
  expect(commands).toMatchObject([
    { run_parameters: { shots: { value: 8 } }, input_offsets: { control_amplitude: 0.1 } },
    {
      run_parameters: { shots: { value: 9 } },
      input_offsets: { control_amplitude: 0.1, qubit_frequency: 0.001 },
    },
  ]);
  expect(value).toMatchObject({
    attempts: [{ input_offsets: { control_amplitude: 0.1 } }, { input_offsets: { qubit_frequency: 0.001 } }],
  });
});

test('retries end with the attempt that everyone passed', async () => {
  const { commands } = await run(
    "  await session.retry({ name: 'Rabi', tasks: ['CheckRabi'], targets: ['0'], attempts: [{}, {}, {}] });",
  );
  expect(commands).toHaveLength(1);
});

test('values of calibration state are read on request, and an empty list needs no request', async () => {
  const { commands, value } = await run(
    "  return [await session.values('t1', ['1', '2']), await session.values('t1', [])];",
  );
  expect(kinds(commands)).toEqual(['values']);
  expect(value).toEqual([{ 1: 0.901, 2: 0.902 }, {}]);
});

test('an approval gives the answer, who gave it, or that the deadline passed', async () => {
  const of = flow(
    "  return await session.approval({ question: 'Warm up?', deadline_seconds: 60, default: 'no' });",
  );
  const question: FlowCommand = {
    kind: 'approval',
    question: 'Warm up?',
    options: ['yes', 'no'],
    deadline_seconds: 60,
    default: 'no',
  };
  expect(await carryOut(isolates, 'expired approval', of)).toMatchObject({
    commands: [question],
    value: { answer: 'no', answered_by: null, expired: true },
  });
  const answer = { kind: 'approval', answer: 'yes', answered_by: 'ada', expired: false } as const;
  const answers = [{ at: startedAt, answer }];
  expect(
    await isolates.advance('approval', of, { seed, context, issued: [question], answers }),
  ).toMatchObject({
    kind: 'end',
    value: { answer: 'yes', answered_by: 'ada', expired: false },
  });
});

test('a flow may end itself with a message', async () => {
  const { value, message } = await run("  session.end('The cryostat is warm.');", '  return 1;');
  expect([value, message]).toEqual([null, 'The cryostat is warm.']);
});

test('targets are what the parameters of the run choose', async () => {
  const chosen = async (parameters: Record<string, string[] | number[] | null>) => {
    runs += 1;
    const of = flow('  return session.targets.chosen();');
    return (await carryOut(isolates, `chosen ${runs}`, of, { context: { parameters } })).value;
  };
  expect(await chosen({ mux_ids: [1], qids: ['0'] })).toEqual(['4', '5', '6', '7']);
  expect(await chosen({ mux_ids: null, qids: ['3', '0'], exclude_qids: [3] })).toEqual(['0']);
  expect(await chosen({})).toHaveLength(16);
  expect(await chosen({ mux_ids: null, exclude_qids: [0] })).toHaveLength(15);
  await expect(chosen({ qids: [] })).rejects.toThrow(/line 2: no qubit is left/);
});

test('couplings are all of the chip, or the pairs named', async () => {
  const { value } = await run(
    '  return [session.targets.couplings(), session.targets.pairs([[0, 1], "0-1"])];',
  );
  expect(value).toEqual([context.couplings, ['0-1']]);
});

test('a chip of 1,024 qubits is planned within the limits of an isolate', async () => {
  const side = 32;
  const qubits = Array.from({ length: side * side }, (_, qid) => String(qid));
  const couplings = qubits.flatMap((qid) => {
    const [right, below] = [Number(qid) + 1, Number(qid) + side];
    const neighbours = [...(right % side > 0 ? [right] : []), ...(below < qubits.length ? [below] : [])];
    return neighbours.flatMap((other) => [`${qid}-${other}`, `${other}-${qid}`]);
  });
  const of = flow(
    '  const pairs = session.targets.couplings().filter((_, index) => index % 2 === 0).map((pair) => [pair]);',
    "  await session.twoQubit(session.targets.pairGroups(pairs), { tasks: ['CheckZX90'] });",
    "  await session.run({ name: 'T1', tasks: ['CheckT1'], targets: session.targets.all() });",
  );
  const { commands } = await carryOut(isolates, 'large', of, { context: { qubits, couplings } });
  expect(commands.map((command) => command.kind === 'stage' && command.targets.length)).toEqual([1984, 1024]);
});

test('everything that takes time names what await is missing before', async () => {
  const calls: [string, string][] = [
    ["session.values('t1', ['1'])['1']", 'the values of t1'],
    ["session.filter.byMetric(['1'], 't1', 0).length", 'the filter by t1'],
    ['session.schedulePairs().groups', 'the schedule of pairs'],
    ["session.oneQubitCheck(['1']).passed", 'stage "One-qubit check"'],
    ["session.approval({ question: 'x', deadline_seconds: 1, default: 'no' }).answer", 'the approval'],
    [
      "session.retry({ name: 'R', tasks: ['A'], targets: ['1'], attempts: [{}] }).passed",
      'the retries of "R"',
    ],
    ["session.filter.byStatus(session.run({ name: 'T', tasks: ['A'], targets: ['1'] }))", 'stage "T"'],
    ["session.log(session.run({ name: 'T', tasks: ['A'], targets: ['1'] }))", 'stage "T"'],
    [
      "session.run({ name: 'T', tasks: ['A'], targets: session.filter.byMetric(['1'], 't1', 0) })",
      'the filter by t1',
    ],
  ];
  for (const [call, what] of calls) {
    await expect(run('', `  ${call};`), call).rejects.toThrow(
      `flow "nightly" line 3: await is missing before ${what} on line 3`,
    );
  }
});
