import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createFlowIsolates } from '../../../../activities/flow-isolate/isolate.ts';
import { checkFlow } from '../../../../shared/domain/flows/check-flow.ts';
import { flowTemplate, type JsonValue } from '../../../../shared/domain/flows/model.ts';
import { parameterValues } from '../../../../shared/domain/flows/parameter-rules.ts';
import { taskNames } from '../../../../shared/tasks/catalog.ts';
import { carryOut, context } from '../../../support/flow-run.ts';

const shipped = fileURLToPath(new URL('../../../../config/flows/', import.meta.url));
const templates = z
  .array(flowTemplate)
  .parse(JSON.parse(await readFile(join(shipped, 'templates.json'), 'utf8')));
const isolates = createFlowIsolates();
afterAll(() => isolates.close());

async function programOf(id: string) {
  const template = templates.find((one) => one.id === id);
  if (template === undefined) throw new Error(`no template ${id}`);
  const source = await readFile(join(shipped, template.filename), 'utf8');
  const check = checkFlow(source, template.function_name, taskNames());
  if (!check.ok) throw new Error(JSON.stringify(check.problems));
  const { javascript, parameters } = check;
  return { program: { javascript, functionName: template.function_name, flowName: id }, parameters };
}

test('every shipped flow is listed, and every listed flow is shipped', async () => {
  const files = (await readdir(shipped)).filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'));
  expect(templates.map((one) => one.filename).sort()).toEqual(files.sort());
});

test.each(templates)('template $id passes the check of a saved flow', async (template) => {
  const source = await readFile(join(shipped, template.filename), 'utf8');
  expect(checkFlow(source, template.function_name, taskNames())).toMatchObject({ ok: true });
});

type Given = Record<string, JsonValue>;
let plans = 0;

/** Carries a template out with these parameters, as a run does; of every three qubits the last fails each stage. */
async function planOf(id: string, given: Given = {}) {
  plans += 1;
  const { program, parameters } = await programOf(id);
  const { values, problems } = parameterValues(parameters, given, taskNames());
  if (problems.length > 0) throw new Error(`refused: ${problems.join(' ')}`);
  const run = await carryOut(isolates, `plan ${plans}`, program, { context: { parameters: values } });
  const stages = run.commands.flatMap((command) => (command.kind === 'stage' ? [command] : []));
  return {
    ...run,
    stages,
    tasks: stages.map((stage) => stage.tasks.map((task) => task.name)),
    targets: stages.map((stage) => stage.targets),
    modes: run.commands.flatMap((command) => (command.kind === 'qubit_schedule' ? [command.mode] : [])),
  };
}

const ONE_QUBIT_CHECK =
  'CheckRabi CheckRabi CreateHPIPulse CheckHPIPulse CheckRabi CreateHPIPulse CheckHPIPulse CheckT1 CheckT2Echo CheckRamsey';
const ONE_QUBIT_FINE_TUNE =
  'CheckOptimalReadoutFrequency CheckOptimalReadoutAmplitude CheckRabi CreateHPIPulse CheckHPIPulse CreatePIPulse CheckPIPulse CreateDRAGHPIPulse CheckDRAGHPIPulse CreateDRAGPIPulse CheckDRAGPIPulse CheckFineFrequency CheckFineAmplitude ReadoutClassification CheckT1Average CheckT2EchoAverage Check1QGateCoherenceLimit RandomizedBenchmarking X90InterleavedRandomizedBenchmarking';
const FAST_CHECK = 'CheckRabi CreateHPIPulse CheckHPIPulse';
const FAST_FINE_TUNE =
  'CheckOptimalReadoutFrequency CheckOptimalReadoutAmplitude CheckRabi CreateHPIPulse CheckHPIPulse CreatePIPulse CheckPIPulse CreateDRAGHPIPulse CheckDRAGHPIPulse CreateDRAGPIPulse CheckDRAGPIPulse ReadoutClassification RandomizedBenchmarking X90InterleavedRandomizedBenchmarking';
const TWO_QUBIT =
  'CheckCrossResonance CreateZX90 CheckZX90 CheckBellState CheckBellStateTomography Check2QGateCoherenceLimit ZX90InterleavedRandomizedBenchmarking';
const CZ = 'CheckCZChevron CheckCZPhase CZInterleavedRandomizedBenchmarking';
const BRING_UP = 'CheckResonatorSpectroscopy CheckQubitSpectroscopy CheckControlAmplitude CheckChevron';

const MAINTAINED =
  'CheckRabi CreateHPIPulse CheckT1 CheckT2Echo CheckRamsey CheckOptimalReadoutFrequency CheckOptimalReadoutAmplitude CreatePIPulse CreateDRAGHPIPulse CreateDRAGPIPulse CheckFineFrequency CheckFineAmplitude ReadoutClassification'.split(
    ' ',
  );
/** Of the answers that these flows get, CheckT1 alone has a check form: it is checked, and then run. */
const CHECKED_FIRST = MAINTAINED.flatMap((task) => (task === 'CheckT1' ? [task, task] : [task]));
const CHARACTERISATION = [
  'CheckDispersiveShift CheckReadoutQND CheckActiveReset',
  'CheckAllXY',
  'CheckEFSpectroscopy CheckEFRabi CheckThermalPopulation LeakageRandomizedBenchmarking',
  'SimultaneousRandomizedBenchmarking',
];

/** The tasks of the specification for each template, stage by stage; qubit 2 fails each stage. */
const pipelines: [id: string, parameters: Given, stages: string[], targets: string[]][] = [
  ['bringup', { mux_ids: [0] }, ['ConfigureAll', BRING_UP], ['0 1 2 3', '0 1 3']],
  [
    'experimental_simultaneous_bringup',
    { mux_ids: [0] },
    [
      'CheckResonatorSpectroscopy',
      'CheckSimultaneousQubitSpectroscopy',
      'CheckControlAmplitude CheckChevron',
    ],
    ['0 1 2 3', '0 1 3', '0 1 3'],
  ],
  ['check_waveform', { mux_ids: [0] }, ['CheckWaveform'], ['0 1 2 3']],
  ['simple', { mux_ids: [0] }, ['CheckRabi CreateHPIPulse CheckHPIPulse'], ['0 1 2 3']],
  ['one_qubit', { mux_ids: [0] }, [ONE_QUBIT_CHECK, ONE_QUBIT_FINE_TUNE], ['0 1 2 3', '0 1 3']],
  ['one_qubit', { mux_ids: [0], check_only: true }, [ONE_QUBIT_CHECK], ['0 1 2 3']],
  // Each task reads what the one before it found, and changed.
  ['maintain', { mux_ids: [0] }, CHECKED_FIRST, CHECKED_FIRST.map(() => '0')],
  [
    'full_calibration',
    { mux_ids: [0] },
    ['ConfigureAll', ONE_QUBIT_CHECK, ONE_QUBIT_FINE_TUNE, TWO_QUBIT, CZ],
    ['0 1 2 3', '0 1 3', '0 1 3', '0-1 3-1', '0-1'],
  ],
  [
    'fast_full_calibration',
    { mux_ids: [0] },
    ['ConfigureAll', FAST_CHECK, FAST_FINE_TUNE, TWO_QUBIT, CZ],
    ['0 1 2 3', '0 1 3', '0 1 3', '0-1 3-1', '0-1'],
  ],
  [
    'characterisation',
    { mux_ids: [0] },
    [...CHARACTERISATION, 'CheckStaticZZ'],
    ['0 1 2 3', '0 1 2 3', '0 1 2 3', '0 1 2 3', '0-1 0-2 3-1 3-2'],
  ],
  [
    'characterisation',
    { qids: [0], pairs: false, stability: true },
    [...CHARACTERISATION, 'CheckStability'],
    ['0', '0', '0', '0', '0'],
  ],
  ['two_qubit', { qids: [0, 1] }, [TWO_QUBIT], ['0-1']],
  ['two_qubit', { qids: [0, 1], inverse: true, tasks: ['CheckZX90'] }, ['CheckZX90'], ['1-0']],
  ['two_qubit_scheduled', { schedule: [[[0, 1], '2-3'], [[3, '1']]] }, [TWO_QUBIT], ['0-1 2-3 3-1']],
  [
    'coherence_limit',
    { mux_ids: [0] },
    ['Check1QGateCoherenceLimit', 'Check2QGateCoherenceLimit'],
    ['0 1 2 3', '0-1 3-1'],
  ],
  ['fake_calibration', {}, ['CheckFineChevron CreateHPIPulse CheckRabi CheckT1 CheckT2Echo'], ['0 1 2 3']],
];

test.each(pipelines)(
  'template %s with %j asks for its tasks in order',
  async (id, parameters, stages, targets) => {
    const plan = await planOf(id, parameters);
    expect(plan.tasks.map((tasks) => tasks.join(' '))).toEqual(stages);
    expect(plan.targets.map((each) => each.join(' '))).toEqual(targets);
  },
);

const choosing = [
  'experimental_simultaneous_bringup',
  'check_waveform',
  'simple',
  'one_qubit',
  'characterisation',
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

test.each([...choosing, 'bringup', 'full_calibration', 'fast_full_calibration'])(
  'template %s takes the whole chip when no targets are given, and never for an empty list',
  async (id) => {
    expect((await planOf(id, {})).targets[0]).toEqual(context.qubits);
    expect((await planOf(id, { mux_ids: null, exclude_qids: [0] })).targets[0]).toEqual(
      context.qubits.slice(1),
    );
    await expect(planOf(id, { mux_ids: 0 })).rejects.toThrow(/mux_ids must be a list of multiplexers/);
    await expect(planOf(id, { mux_ids: [] })).rejects.toThrow(/line \d+: no qubit is left/);
    const none = { mux_ids: [0], exclude_qids: [0, 1, 2, 3] };
    await expect(planOf(id, none)).rejects.toThrow(/line \d+: no qubit is left/);
    await expect(planOf(id, { mux_ids: [0, 98, 99] })).rejects.toThrow(
      /line \d+: .*unknown muxes "98", "99"/,
    );
    const unknown = { mux_ids: [0], exclude_qids: ['99'] };
    await expect(planOf(id, unknown)).rejects.toThrow(/line \d+: .*unknown qubit "99"/);
  },
);

test.each([
  ['bringup', 'scheduled'],
  ['simple', 'scheduled'],
  ['check_waveform', 'synchronized'],
  ['one_qubit', 'synchronized'],
  ['coherence_limit', 'synchronized'],
  ['characterisation', 'synchronized'],
  ['full_calibration', 'synchronized'],
  ['fast_full_calibration', 'synchronized'],
])('template %s is %s unless told otherwise', async (id, usual) => {
  const modesOf = async (parameters: Given) =>
    new Set((await planOf(id, { mux_ids: [0], ...parameters })).modes);
  expect(await modesOf({})).toEqual(new Set([usual]));
  expect(await modesOf({ mode: 'serial' })).toEqual(new Set(['serial']));
  await expect(modesOf({ mode: 'sideways' })).rejects.toThrow(/refused: mode must be one of .*serial/);
});

test('the characterisation reports what fails in any of its stages, for qubits and pairs', async () => {
  const { program, parameters } = await programOf('characterisation');
  const { values } = parameterValues(parameters, { mux_ids: [0], stability: true }, taskNames());
  const failing = new Set(['Pulses 1', 'Coupling 0-2', 'Stability 3']);
  const run = await carryOut(isolates, 'characterisation of all stages', program, {
    context: { parameters: values },
    fails: (target, stage) => failing.has(`${stage} ${target}`),
  });
  expect(run.value).toEqual({ passed: ['0', '2'], failed: ['1', '3'] });
  expect(JSON.stringify(run.entries)).toContain('2 of 4 qubits, and 3 of 4 pairs were characterised in full');
});

test('the bring-up configures its multiplexers and passes on how resonators are assigned', async () => {
  const plan = await planOf('bringup', { mux_ids: [0, 1], resonator_assignment_order: '16q' });
  expect(plan.stages[0]?.tasks).toEqual([
    { name: 'ConfigureAll', run_parameters: { mux_ids: { value: [0, 1] } } },
  ]);
  expect(plan.stages[0]?.run_parameters).toBeUndefined();
  const pattern = { resonator_assignment_pattern: { value: '16q' } };
  expect(plan.stages[1]?.run_parameters).toEqual(pattern);
  const other = await planOf('bringup', { mux_ids: [0], resonator_assignment_pattern: '16q' });
  expect(other.stages[1]?.run_parameters).toEqual(pattern);
  const contradiction = {
    mux_ids: [0],
    resonator_assignment_order: '16q',
    resonator_assignment_pattern: 'default',
  };
  await expect(planOf('bringup', contradiction)).rejects.toThrow(/order is "16q", but .*pattern.* "default"/);
});

test('the simultaneous bring-up sweeps all qubits together, or by their slot', async () => {
  const sweeps = async (parameters: Given) =>
    (await planOf('experimental_simultaneous_bringup', { mux_ids: [0, 1], ...parameters })).stages[1]
      ?.schedule;
  // Qubits 2 and 5 fail the resonators.
  expect((await sweeps({}))?.map((step) => step.flat())).toEqual([['0', '1', '3', '4', '6', '7']]);
  expect((await sweeps({ schedule_mode: 'local_index' }))?.map((step) => step.flat())).toEqual([
    ['0', '4'],
    ['1'],
    ['6'],
    ['3', '7'],
  ]);
});

test('the one-qubit calibration keeps what its filter let through', async () => {
  const plan = await planOf('one_qubit', { mux_ids: [0] });
  expect(plan.entries.find((entry) => entry.kind === 'record')).toMatchObject({
    name: 'filter',
    value: { criteria: 'targets of "One-qubit check" that passed', input: 4, output: 3, pass_rate: 0.75 },
  });
  expect(plan.value).toEqual({ passed: ['0', '1', '3'], failed: ['2'] });
});

test('nothing is tuned finely when every qubit fails the check: the flow ends there and says why', async () => {
  const plan = await planOf('one_qubit', { qids: ['2', '5'] });
  expect(plan.tasks).toHaveLength(1);
  expect(plan.message).toBe(
    'The flow ended because none of 2 targets passed the filter "targets of "One-qubit check" that passed".',
  );
});

test('no pair is calibrated when no qubit reaches the fidelity', async () => {
  const plan = await planOf('full_calibration', { mux_ids: [0], fidelity_threshold: 0.95 });
  expect(plan.tasks).toHaveLength(3);
  expect(plan.message).toMatch(/none of 3 targets passed the filter "x90_fidelity >= 0.95"/);
});

test('the full calibration reports pairs without a flux line, and asks for no CZ gate if none has one', async () => {
  const plan = await planOf('full_calibration', { mux_ids: [0] });
  expect(JSON.stringify(plan.entries)).toContain('1 of 1 CZ gates; pairs without a flux line, left out: 1');
  expect(plan.value).toMatchObject({ pairs: ['0-1', '3-1'], cz: ['0-1'] });
  const without = await planOf('full_calibration', { mux_ids: [0], exclude_qids: [0] });
  expect(without.targets.at(-1)).toEqual(['3-1']);
  expect(without.tasks.at(-1)?.join(' ')).toBe(TWO_QUBIT);
});

test('pairs are in as many groups as max_parallel_ops allows', async () => {
  const plan = await planOf('two_qubit', { qids: [0, 1, 2, 3], max_parallel_ops: 1 });
  expect(plan.stages[0]?.schedule?.every((step) => step.length === 1)).toBe(true);
  expect(plan.targets[0]).toHaveLength(4);
  await expect(planOf('two_qubit', { qids: [0] })).rejects.toThrow(/a pair needs two qubits/);
  await expect(planOf('two_qubit', { qids: [0, 1], max_parallel_ops: 0 })).rejects.toThrow(
    /max_parallel_ops must be at least 1/,
  );
  expect((await planOf('two_qubit', { qids: [8, 9] })).message).toMatch(/no two of the qubits can be paired/);
});

test('a given order of pairs is kept, and refused where two pairs share a qubit', async () => {
  const plan = await planOf('two_qubit_scheduled', { schedule: [['0-1', '2-3'], ['1-3']] });
  expect(plan.stages[0]?.schedule).toEqual([[['0-1'], ['2-3']], [['1-3']]]);
  await expect(planOf('two_qubit_scheduled', { schedule: [['0-1', '1-3']] })).rejects.toThrow(
    /0-1 and 1-3 share qubit 1/,
  );
  await expect(planOf('two_qubit_scheduled', { schedule: [['0-9', '1-8']] })).rejects.toThrow(
    /unknown couplings "0-9", "1-8"/,
  );
});

test.each(['two_qubit', 'two_qubit_scheduled'])(
  'template %s calibrates all pairs that fit when none are given',
  async (id) => {
    const plan = await planOf(id, {});
    expect(plan.targets[0]?.length).toBeGreaterThan(2);
    expect(new Set(plan.targets[0]).size).toBe(plan.targets[0]?.length);
  },
);

test('simple runs the tasks that it is given', async () => {
  expect((await planOf('simple', { qids: [0], tasks: ['CheckT1'] })).tasks).toEqual([['CheckT1']]);
  await expect(planOf('simple', { qids: [0], tasks: ['CheckT3'] })).rejects.toThrow(
    /refused: tasks names an unknown task "CheckT3"; did you mean "CheckT1"/,
  );
});

test('the retries try only what failed, beside its stored frequency, and no two qubits of a group at once', async () => {
  const plan = await planOf('parallel_retry');
  expect(plan.stages.map(({ name, schedule, input_offsets }) => [name, schedule, input_offsets])).toEqual([
    [
      'Calibration, attempt 1',
      [
        [
          ['0', '1'],
          ['2', '3'],
        ],
      ],
      undefined,
    ],
    ['Calibration, attempt 2', [[['2']]], { qubit_frequency: 0.001 }],
    ['Calibration, attempt 3', [[['2']]], { qubit_frequency: -0.001 }],
  ]);
  expect(plan.value).toEqual({ passed: ['0', '1', '3'], failed: ['2'] });
  await expect(planOf('parallel_retry', { groups: [[0, 1], [1]] })).rejects.toThrow(
    /schedule has 1 more than once/,
  );
  await expect(planOf('parallel_retry', { groups: [] })).rejects.toThrow(/names no qubit/);
  const own = { groups: [[0], [4]], tasks: ['CheckT1'], attempts: [{ shots: 10 }] };
  expect((await planOf('parallel_retry', own)).stages).toMatchObject([
    { tasks: [{ name: 'CheckT1' }], targets: ['0', '4'], run_parameters: { shots: { value: 10 } } },
  ]);
});

test('the demonstration measures T1 where Rabi passed', async () => {
  const plan = await planOf('demo');
  const [rabi, t1] = plan.stages;
  expect(rabi).toMatchObject({ name: 'Rabi', tasks: [{ name: 'CheckRabi' }], targets: context.qubits });
  expect(t1).toMatchObject({ name: 'T1', targets: context.qubits.filter((id) => Number(id) % 3 !== 2) });
  expect(plan.entries.at(-1)).toMatchObject({ kind: 'log', message: 'Rabi: 11 of 16 qubits; T1: 11' });
});
