import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createFlowIsolates } from '../../activities/flow-isolate/isolate.ts';
import { flowTemplate, type JsonValue } from '../../shared/flows/model.ts';
import { checkFlow } from '../../shared/flows/rules.ts';
import { taskNames } from '../../shared/tasks/catalog.ts';
import { carryOut, context, seed } from './flow-run.ts';

const shipped = fileURLToPath(new URL('../../config/flows/', import.meta.url));
const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const templates = z
  .array(flowTemplate)
  .parse(JSON.parse(await readFile(join(shipped, 'templates.json'), 'utf8')));
const isolates = createFlowIsolates();
let desk = '';

beforeAll(async () => {
  desk = await mkdtemp(join(tmpdir(), 'calibron-flows-'));
});
afterAll(async () => {
  await isolates.close();
  await rm(desk, { recursive: true });
});

/** The compiler's complaints about a flow, as an author's editor would show them. */
async function complaints(filename: string, source: string): Promise<string> {
  await copyFile(join(shipped, 'calibron.d.ts'), join(desk, 'calibron.d.ts'));
  await writeFile(join(desk, filename), source);
  const options = [
    '--noEmit',
    '--strict',
    '--noUncheckedIndexedAccess',
    '--target',
    'es2023',
    '--module',
    'esnext',
  ];
  const files = ['calibron.d.ts', filename];
  // tsc ends with a code of its own when it complains; what it writes tells why.
  const done = await promisify(execFile)(tsc, [...options, '--types', '', '--ignoreConfig', ...files], {
    cwd: desk,
  }).catch((failure: unknown) => z.object({ stdout: z.string(), stderr: z.string() }).parse(failure));
  return done.stdout + done.stderr;
}

async function programOf(id: string) {
  const template = templates.find((one) => one.id === id);
  if (template === undefined) throw new Error(`no template ${id}`);
  const source = await readFile(join(shipped, template.filename), 'utf8');
  const check = checkFlow(source, template.function_name, taskNames());
  if (!check.ok) throw new Error(JSON.stringify(check.problems));
  return { javascript: check.javascript, functionName: template.function_name, flowName: id };
}

test('every shipped flow is listed, and every listed flow is shipped', async () => {
  const files = (await readdir(shipped)).filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'));
  expect(templates.map((one) => one.filename).sort()).toEqual(files.sort());
});

test.each(templates)(
  'template $id passes the check of a saved flow and the type check of an editor',
  async (template) => {
    const source = await readFile(join(shipped, template.filename), 'utf8');
    expect(checkFlow(source, template.function_name, taskNames())).toMatchObject({ ok: true });
    expect(await complaints(template.filename, source)).toBe('');
  },
);

test('an editor shows wrong uses of the session', async () => {
  const wrong = [
    "import type { Session } from 'calibron';",
    'export async function nightly(session: Session) {',
    "  const a = session.run({ name: 'x', tasks: ['CheckRabi'], targets: [] });",
    '  a.passed;',
    "  await session.run({ name: 'x', tasks: ['CheckRabi'] });",
    '  session.parameters.qids = [];',
    '}',
  ].join('\n');
  const found = (await complaints('wrong.ts', wrong)).match(/wrong\.ts[(:](\d+)/g);
  expect(found).toEqual([4, 5, 6].map((line) => expect.stringMatching(new RegExp(`[(:]${line}$`))));
});

test('the session in the declarations is the session in the isolate', async () => {
  const declared = await readFile(join(shipped, 'calibron.d.ts'), 'utf8');
  const members = (name: string) =>
    [
      ...(declared.split(new RegExp(`interface ${name}\\b.*{`))[1]?.split('\n  }')[0] ?? '').matchAll(
        /^ {4}(?:readonly )?(\w+)[(:]/gm,
      ),
    ]
      .map((match) => match[1])
      .sort();
  const of = {
    javascript:
      'export async function nightly(session) {\n  return [session, session.targets].map((one) => Object.keys(one).sort());\n}',
    functionName: 'nightly',
    flowName: 'nightly',
  };
  const step = await isolates.advance('members', of, seed, context, [], []);
  expect(step).toMatchObject({ value: [members('Session'), members('Targets')] });
});

type Given = Record<string, JsonValue>;
let plans = 0;

/** Carries a template out with these parameters; of every three qubits the last fails each stage. */
async function planOf(id: string, parameters: Given = {}) {
  plans += 1;
  const run = await carryOut(isolates, `plan ${plans}`, await programOf(id), () => {}, { parameters });
  const stages = run.commands.flatMap((command) => (command.kind === 'stage' ? [command] : []));
  return {
    ...run,
    stages,
    tasks: stages.map((stage) => stage.tasks.map((task) => task.name)),
    targets: stages.map((stage) => stage.targets),
  };
}

const ONE_QUBIT_CHECK =
  'CheckRabi CheckRabi CreateHPIPulse CheckHPIPulse CheckRabi CreateHPIPulse CheckHPIPulse CheckT1 CheckT2Echo CheckRamsey';
const ONE_QUBIT_FINE_TUNE =
  'CheckRabi CreateHPIPulse CheckHPIPulse CreatePIPulse CheckPIPulse CreateDRAGHPIPulse CheckDRAGHPIPulse CreateDRAGPIPulse CheckDRAGPIPulse ReadoutClassification CheckT1Average CheckT2EchoAverage Check1QGateCoherenceLimit RandomizedBenchmarking X90InterleavedRandomizedBenchmarking';
const BRING_UP = 'CheckResonatorSpectroscopy CheckQubitSpectroscopy CheckControlAmplitude CheckChevron';

/** The tasks of the specification for each template, stage by stage. */
const pipelines: [id: string, parameters: Given, stages: string[]][] = [
  ['bringup', { mux_ids: [0] }, ['ConfigureAll', BRING_UP]],
  [
    'experimental_simultaneous_bringup',
    { mux_ids: [0] },
    [
      'CheckResonatorSpectroscopy',
      'CheckSimultaneousQubitSpectroscopy',
      'CheckControlAmplitude CheckChevron',
    ],
  ],
  ['check_waveform', { mux_ids: [0] }, ['CheckWaveform']],
  ['simple', { mux_ids: [0] }, ['CheckRabi CreateHPIPulse CheckHPIPulse']],
  ['one_qubit', { mux_ids: [0] }, [ONE_QUBIT_CHECK, ONE_QUBIT_FINE_TUNE]],
  ['one_qubit', { mux_ids: [0], check_only: true }, [ONE_QUBIT_CHECK]],
  ['coherence_limit', { mux_ids: [0] }, ['Check1QGateCoherenceLimit']],
  ['fake_calibration', {}, ['CheckFineChevron CreateHPIPulse CheckRabi CheckT1 CheckT2Echo']],
];

test.each(pipelines)('template %s with %j asks for its tasks in order', async (id, parameters, stages) => {
  const plan = await planOf(id, parameters);
  expect(plan.tasks.map((tasks) => tasks.join(' '))).toEqual(stages);
  // Qubit 2 fails every stage: it is in the first and in no later one.
  expect(plan.targets.map((targets) => targets.join(' '))).toEqual(
    stages.map((_, index) => (index === 0 ? '0 1 2 3' : '0 1 3')),
  );
});

const choosing = [
  'experimental_simultaneous_bringup',
  'check_waveform',
  'simple',
  'one_qubit',
  'coherence_limit',
];

test.each(choosing)(
  'template %s takes multiplexers before qubits, and leaves out what it is told to',
  async (id) => {
    expect((await planOf(id, { mux_ids: [1], qids: ['1'] })).targets[0]).toEqual(['4', '5', '6', '7']);
    expect((await planOf(id, { mux_ids: null, qids: [3, '1'] })).targets[0]).toEqual(['3', '1']);
    const without = await planOf(id, { mux_ids: [0, 1], exclude_qids: [1, '6'] });
    expect(without.targets[0]).toEqual(['0', '2', '3', '4', '5', '7']);
  },
);

test.each([...choosing, 'bringup'])('template %s refuses to guess its targets', async (id) => {
  await expect(planOf(id, {})).rejects.toThrow(/line \d+: give mux_ids/);
  await expect(planOf(id, { mux_ids: [] })).rejects.toThrow(/no qubit is left/);
  await expect(planOf(id, { mux_ids: [0], exclude_qids: [0, 1, 2, 3] })).rejects.toThrow(/no qubit is left/);
  await expect(planOf(id, { mux_ids: [99] })).rejects.toThrow(/unknown mux "99"/);
  await expect(planOf(id, { mux_ids: 0 })).rejects.toThrow(/takes a list of ids/);
  await expect(planOf(id, { mux_ids: [0], exclude_qids: ['99'] })).rejects.toThrow(/unknown qubit "99"/);
});

test.each(['bringup', 'simple', 'one_qubit'])(
  'template %s runs one target at a time when told to',
  async (id) => {
    const parallel = async (mode: JsonValue) =>
      (await planOf(id, { mux_ids: [0], mode })).stages.at(-1)?.parallel;
    expect(await parallel('serial')).toBe(1);
    expect(await parallel('synchronized')).toBeUndefined();
    expect(await parallel(null)).toBeUndefined();
    await expect(parallel('sideways')).rejects.toThrow(/mode is synchronized or serial, not sideways/);
  },
);

test('the bring-up configures its multiplexers and passes on how resonators are told apart', async () => {
  const plan = await planOf('bringup', { mux_ids: [0, 1], resonator_assignment_order: '16q' });
  expect(plan.stages[0]?.tasks).toEqual([
    { name: 'ConfigureAll', run_parameters: { mux_ids: { value: [0, 1] } } },
  ]);
  const resonators = {
    name: 'CheckResonatorSpectroscopy',
    run_parameters: { resonator_assignment_pattern: { value: '16q' } },
  };
  expect(plan.stages[1]?.tasks[0]).toEqual(resonators);
  const other = await planOf('bringup', { mux_ids: [0], resonator_assignment_pattern: '16q' });
  expect(other.stages[1]?.tasks[0]).toEqual(resonators);
  const contradiction = {
    mux_ids: [0],
    resonator_assignment_order: '16q',
    resonator_assignment_pattern: 'default',
  };
  await expect(planOf('bringup', contradiction)).rejects.toThrow(/order is 16q, but .*pattern default/);
});

test('the simultaneous bring-up sweeps all qubits together, or by their place', async () => {
  const plan = await planOf('experimental_simultaneous_bringup', {
    mux_ids: [0, 1],
    schedule_mode: 'local_index',
  });
  // Qubits 2 and 5 fail the resonators.
  expect(plan.targets.slice(1, -1)).toEqual([['0', '4'], ['1'], ['6'], ['3', '7']]);
  expect(plan.targets.at(-1)).toEqual(['0', '4', '1', '6', '3', '7']);
  await expect(
    planOf('experimental_simultaneous_bringup', { mux_ids: [0], schedule_mode: 'any' }),
  ).rejects.toThrow(/schedule_mode is all or local_index, not any/);
});

test('the one-qubit calibration keeps what its filter let through', async () => {
  const plan = await planOf('one_qubit', { mux_ids: [0] });
  expect(plan.entries.find((entry) => entry.kind === 'record')).toMatchObject({
    name: 'filter',
    value: { input: 4, output: 3, pass_rate: 0.75 },
  });
  expect(plan.value).toEqual({ passed: ['0', '1', '3'], failed: ['2'] });
});

test('nothing is tuned finely when every qubit fails the check', async () => {
  const plan = await planOf('one_qubit', { qids: ['2', '5'] });
  expect(plan.tasks).toHaveLength(1);
  expect(plan.value).toEqual({ passed: [], failed: ['2', '5'] });
});

test('simple runs the tasks that it is given', async () => {
  expect((await planOf('simple', { qids: [0], tasks: ['CheckT1'] })).tasks).toEqual([['CheckT1']]);
});

test('the retries try only what failed, with other run parameters, and no two qubits of a group at once', async () => {
  const plan = await planOf('parallel_retry');
  // Qubit 2 fails every time; 3 waits for it because they share a group.
  expect(plan.targets).toEqual([['0', '2'], ['1', '3'], ['2'], ['2']]);
  expect(plan.stages.map((stage) => stage.tasks[0]?.run_parameters)).toEqual([
    {},
    {},
    { shots: { value: 4096 } },
    { shots: { value: 16384 } },
  ]);
  expect(plan.value).toEqual({ passed: ['0', '1', '3'], failed: ['2'] });
  await expect(planOf('parallel_retry', { groups: [[0, 1], [1]] })).rejects.toThrow(/two groups/);
  await expect(planOf('parallel_retry', { groups: [] })).rejects.toThrow(/names no qubit/);
  const own = { groups: [[0], [5]], tasks: ['CheckT1'], attempts: [{ shots: 10 }] };
  expect((await planOf('parallel_retry', own)).stages).toMatchObject([
    { tasks: [{ name: 'CheckT1', run_parameters: { shots: { value: 10 } } }], targets: ['0', '5'] },
  ]);
});

test('the demonstration measures T1 where Rabi passed', async () => {
  const run = await carryOut(isolates, 'demo', await programOf('demo'));
  const [rabi, t1] = run.commands;
  expect(rabi).toMatchObject({ name: 'Rabi', tasks: [{ name: 'CheckRabi' }], targets: context.qubits });
  expect(t1).toMatchObject({ name: 'T1', targets: context.qubits.filter((id) => Number(id) % 3 !== 2) });
  expect(run.entries.at(-1)).toMatchObject({ kind: 'log', message: 'Rabi: 11 of 16 qubits; T1: 11' });
});
