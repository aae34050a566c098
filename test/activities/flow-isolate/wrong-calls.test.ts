import { afterAll, describe, expect, test } from 'vitest';
import { createFlowIsolates } from '../../../activities/flow-isolate/isolate.ts';
import { firstStep, flow } from '../../support/flow-run.ts';
import { failureOn } from './failing-flow.ts';

const isolates = createFlowIsolates();
afterAll(() => isolates.close());

const { failureOf } = failureOn(isolates);

describe('a wrong stage is refused with the line and what to do', () => {
  const cases: [string, string][] = [
    [
      "session.run({ name: 'x', tasks: ['A'], targets: ['99'] })",
      'RangeError: unknown target "99"; chip "16Q" has 0, 1, 2 … 15',
    ],
    [
      "session.run({ name: 'x', tasks: ['A'], targets: session.targets.all })",
      'TypeError: session.run: targets takes a list of ids, such as session.targets.all(), but got function all',
    ],
    [
      "session.run({ name: 'x', tasks: ['A'] })",
      'TypeError: session.run: targets takes a list of ids, such as session.targets.all(), but got undefined',
    ],
    [
      "session.run({ name: 'x', tasks: [], targets: ['1'] })",
      'TypeError: session.run: tasks must be a list of task names, but got []',
    ],
    [
      "session.run({ name: 'x', tasks: [3], targets: ['1'] })",
      'TypeError: session.run: a task is a name or { name, run_parameters, check }, not 3',
    ],
    [
      "session.run({ name: '', tasks: ['A'], targets: ['1'] })",
      'TypeError: session.run: name must be a text of 1 to 100 characters, but got ',
    ],
    [
      "session.run({ name: 'x', tasks: ['A'], targets: ['0', '99', '98'] })",
      'RangeError: unknown targets "99", "98"; chip "16Q" has 0, 1, 2 … 15',
    ],
    [
      "session.run({ name: 'x', tasks: ['A'], targets: ['1'], colour: 1 })",
      'TypeError: session.run does not know "colour"; it takes name, tasks, targets, schedule, mode, batches, ordering, parallel, run_parameters, input_offsets, repeat_refused',
    ],
    [
      "session.run({ name: 'x', taks: ['A'], targets: ['1'] })",
      'TypeError: session.run does not know "taks"; did you mean "tasks"?',
    ],
    [
      "session.run({ name: 'x', tasks: [{ name: 'A', run_parameter: {} }], targets: ['1'] })",
      'TypeError: a task of session.run does not know "run_parameter"; did you mean "run_parameters"?',
    ],
    [
      "session.run({ name: 'x', tasks: ['A'], targets: ['1'], mode: 'syncronized' })",
      'RangeError: session.run: mode must be one of scheduled, synchronized, serial, simultaneous, but got syncronized; did you mean synchronized?',
    ],
    [
      "session.run({ name: 'x', tasks: ['A'], targets: ['1'], mode: 'serial', batches: 'all' })",
      'TypeError: session.run: batches are for mode simultaneous',
    ],
    [
      "session.run({ name: 'x', tasks: ['A'], targets: ['1'], ordering: 'natural' })",
      'TypeError: session.run: ordering needs a mode',
    ],
    [
      "session.run({ name: 'x', tasks: ['A'], targets: ['0-1'], mode: 'synchronized' })",
      'TypeError: stage "x": mode synchronized is for qubits; give pairs a schedule of session.schedulePairs',
    ],
    [
      "session.run({ name: 'x', tasks: ['A'], schedule: [[['1']]], mode: 'serial' })",
      'TypeError: session.run takes mode or schedule, not both',
    ],
    [
      "session.run({ name: 'x', tasks: ['A'], schedule: [[['1']]], targets: ['1', '2'] })",
      'RangeError: session.run: schedule does not have the targets 2; add them, or take them out of targets',
    ],
    [
      "session.run({ name: 'x', tasks: ['A'], schedule: [['1']] })",
      "TypeError: session.run: a lane of schedule takes a list of ids, such as ['0', '1'], but got 1",
    ],
    [
      "session.run({ name: 'x', tasks: ['A'], schedule: [[['0-1'], ['1-3']]] })",
      'RangeError: session.run: 0-1 and 1-3 share qubit 1 and cannot run at the same time; put them into different groups',
    ],
    [
      "session.oneQubitCheck(['1'], { fsat: true })",
      'TypeError: session.oneQubitCheck does not know "fsat"; did you mean "fast"?',
    ],
    [
      "session.oneQubitCheck(['1'], { fast: 'yes' })",
      'TypeError: session.oneQubitCheck: fast must be true or false, but got yes',
    ],
    [
      'session.oneQubitFineTune()',
      'TypeError: session.oneQubitFineTune: targets takes a list of ids, such as session.targets.all(), but got undefined',
    ],
    [
      "session.bringUp(['1'], { tasks: 'CheckT1' })",
      'TypeError: session.bringUp: tasks must be a list of task names, but got CheckT1',
    ],
    [
      "session.twoQubit(['0-1'])",
      "TypeError: session.twoQubit: schedule is steps of lanes of targets, such as [[['0', '1'], ['4']], [['2']]], or a pair schedule, not [\"0-1\"]",
    ],
    [
      'session.schedulePairs({ candidate: [] })',
      'TypeError: session.schedulePairs does not know "candidate"; did you mean "candidates"?',
    ],
    [
      "session.schedulePairs({ candidates: ['0', '77', '78'] })",
      'RangeError: unknown qubits "77", "78"; chip "16Q" has 0, 1, 2 … 15',
    ],
    [
      'session.schedulePairs({ max_parallel_ops: 0 })',
      'RangeError: session.schedulePairs: max_parallel_ops must be 1 or more, but got 0',
    ],
    [
      "session.targets.pairs(['0-1', '0-9'])",
      'RangeError: unknown coupling "0-9"; chip "16Q" has 0-1, 1-0, 0-2 … 4-1',
    ],
    [
      'session.targets.pairs([0, 1])',
      "TypeError: session.targets.pairs: a pair is written '0-1' or [0, 1], not 0",
    ],
    [
      'session.retry({ name: "x", tasks: ["A"], targets: ["1"] })',
      'TypeError: session.retry: attempts is a list of run parameters, or of { run_parameters, input_offsets }, such as [{}, { shots: 4096 }], not undefined',
    ],
    [
      "session.retry({ name: 'x', tasks: ['A'], targets: ['1'], attempts: [{ input_offsets: {}, shots: 1 }] })",
      'TypeError: attempt 1 of session.retry does not know "shots"; it takes run_parameters, input_offsets',
    ],
    [
      "session.retry({ name: 'x', tasks: ['A'], targets: ['1'], attempts: [{ input_offsets: [1] }] })",
      'TypeError: attempt 1 of session.retry: input_offsets are numbers by the names of inputs, such as { qubit_frequency: 0.001 }, not [1]',
    ],
    [
      "session.run({ name: 'x', tasks: ['A'], targets: ['1'], input_offsets: { qubit_frequency: '1 MHz' } })",
      'TypeError: session.run: input_offsets are numbers by the names of inputs, such as { qubit_frequency: 0.001 }, not {"qubit_frequency":"1 MHz"}',
    ],
    [
      "session.filter.byStatus(['1'])",
      'TypeError: session.filter.byStatus takes what session.run gave, as in byStatus(check), but got ["1"]',
    ],
    [
      "session.filter.byMetric(['1'], 'x90_fidelity')",
      'TypeError: session.filter.byMetric: threshold must be a number, but got undefined',
    ],
    [
      "session.values(['t1'], ['1'])",
      'TypeError: session.values: parameter must be a text of 1 to 100 characters, but got ["t1"]',
    ],
    [
      "session.approval({ question: 'x', deadline_seconds: 5, default: 'maybe' })",
      'RangeError: session.approval: default must be one of yes, no, but got maybe',
    ],
    [
      "session.approval({ question: 'x', deadline_seconds: 5 })",
      'TypeError: session.approval: default says which of yes, no holds when nobody answers in time',
    ],
    [
      "session.approval({ question: 'x', default: 'no' })",
      'RangeError: session.approval: deadline_seconds must be above 0 and at most 2592000, but got undefined',
    ],
    [
      "session.approval({ question: 'x', options: ['a', 'a'], deadline_seconds: 5, default: 'a' })",
      'TypeError: session.approval: options is a list of different answers, such as [\'yes\', \'no\'], not ["a","a"]',
    ],
    [
      'session.end()',
      'TypeError: session.end: message must be a text of 1 to 2000 characters, but got undefined',
    ],
    [
      "session.run({ name: 'x', tasks: ['A'], targets: ['1'], parallel: 0 })",
      'RangeError: session.run: parallel must be 1 or more, but got 0',
    ],
    [
      "session.run({ name: 'x', tasks: [{ name: 'A', run_parameters: { shots: NaN } }], targets: ['1'] })",
      'TypeError: session.run: run parameter shots of A must be a number, a text, true, false or a list, not NaN',
    ],
    ['session.sleep(-1)', 'RangeError: session.sleep takes seconds from 0 to 2592000, but got -1'],
    ["session.targets.qubits(['7', '77'])", 'RangeError: unknown qubit "77"; chip "16Q" has 0, 1, 2 … 15'],
    [
      'session.targets.qubits(3)',
      "TypeError: session.targets.qubits takes a list of ids, such as ['0', '1'], but got 3",
    ],
    ['session.targets.muxes([9])', 'RangeError: unknown mux "9"; chip "16Q" has 0, 1, 2, 3'],
    ["session.targets.muxes(['toString'])", 'RangeError: unknown mux "toString"; chip "16Q" has 0, 1, 2, 3'],
    [
      "session.record('', 1)",
      'TypeError: session.record: name must be a text of 1 to 100 characters, but got ',
    ],
    [
      "session.record('x', 'a'.repeat(9000))",
      'RangeError: session.record: the value "x" has 9002 bytes as JSON; 8192 are allowed',
    ],
  ];
  test.each(cases)('%s', async (call, message) => {
    expect(await failureOf('', `  await ${call};`)).toBe(`thrown: flow "nightly" line 3: ${message}`);
  });

  test('a returned value that is too large or not JSON', async () => {
    expect(await failureOf("  return 'x'.repeat(1e6);")).toBe(
      'thrown: flow "nightly" line 2: RangeError: the value that the flow returns has 1000002 bytes as JSON; 8192 are allowed',
    );
    expect(await failureOf('  const a = {};', '  a.a = a;', '  return a;')).toBe(
      'thrown: flow "nightly" line 4: TypeError: the value that the flow returns cannot be written as JSON: TypeError: circular reference',
    );
  });

  test('a flow may catch what it did wrong and go on', async () => {
    const step = await firstStep(
      isolates,
      flow("  try { session.targets.qubits(['77']); } catch { return 'none'; }"),
    );
    expect(step).toMatchObject({ kind: 'end', value: 'none' });
  });
});
