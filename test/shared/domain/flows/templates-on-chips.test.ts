import { beforeAll, expect, test } from 'vitest';
import { giveValues } from '../../../../shared/domain/chips/index.ts';
import type { JsonValue } from '../../../../shared/domain/flows/model.ts';
import { parameterValues } from '../../../../shared/domain/flows/parameter-rules.ts';
import { keyOf } from '../../../../shared/kernel/ids.ts';
import { derivedId, newId } from '../../../../shared/kernel/new-ids.ts';
import { taskNames } from '../../../../shared/tasks/catalog.ts';
import { commonLaboratory } from '../../../support/common-laboratory.ts';
import { executionNamed, taskNamed } from '../../../support/ids.ts';
import type { LabChip, Laboratory } from '../../../support/laboratory.ts';
import { repetitions } from '../../../support/repetitions.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

/** Runs a shipped template to its end, with its declared defaults as the API fills them in. */
async function runTemplate(id: string, place: LabChip, given: Record<string, JsonValue>) {
  const { code, function_name, parameters: declared } = await lab.flows.templates.read(id);
  const { values: parameters, problems } = parameterValues(declared, given, taskNames());
  expect(problems).toEqual([]);
  const run = await lab.startFlow(place, code, { parameters, functionName: function_name });
  const execution = await lab.ended(place.projectId, run.execution_id);
  const rows = await lab.tasksOf(place.projectId, run.execution_id);
  const byQubit = new Map<string, typeof rows>();
  for (const row of [...rows].sort((a, b) => a.stage - b.stage || a.index - b.index)) {
    byQubit.set(row.qid, [...(byQubit.get(row.qid) ?? []), row]);
  }
  return { execution, rows, byQubit };
}

const CHECK =
  'CheckRabi CheckRabi CreateHPIPulse CheckHPIPulse CheckRabi CreateHPIPulse CheckHPIPulse CheckT1 CheckT2Echo CheckRamsey';
const FAST_CHECK = 'CheckRabi CreateHPIPulse CheckHPIPulse';
const FINE_TUNE =
  'CheckOptimalReadoutFrequency CheckOptimalReadoutAmplitude CheckRabi CreateHPIPulse CheckHPIPulse CreatePIPulse CheckPIPulse CreateDRAGHPIPulse CheckDRAGHPIPulse CreateDRAGPIPulse CheckDRAGPIPulse CheckFineFrequency CheckFineAmplitude ReadoutClassification CheckT1Average CheckT2EchoAverage Check1QGateCoherenceLimit RandomizedBenchmarking X90InterleavedRandomizedBenchmarking';

const FAST_FINE_TUNE = FINE_TUNE.replace(
  /CheckFineFrequency CheckFineAmplitude |CheckT1Average CheckT2EchoAverage Check1QGateCoherenceLimit /g,
  '',
);
const CHARACTERISATION =
  'CheckDispersiveShift CheckReadoutQND CheckActiveReset CheckAllXY CheckEFSpectroscopy CheckEFRabi CheckThermalPopulation LeakageRandomizedBenchmarking SimultaneousRandomizedBenchmarking';
const TWO_QUBIT =
  'CheckCrossResonance CreateZX90 CheckZX90 CheckBellState CheckBellStateTomography Check2QGateCoherenceLimit ZX90InterleavedRandomizedBenchmarking';
const CZ = 'CheckCZChevron CheckCZPhase CZInterleavedRandomizedBenchmarking';

interface Case {
  id: string;
  chip: 'blank' | 'seeded';
  parameters: Record<string, JsonValue>;
  qubits: string[];
  /** Names of the tasks in order, as each qubit has them that passes all. */
  tasks: string;
  /** Run parameters as `task parameter` that the run must have had. */
  settings?: Record<string, number>;
}

const cases: Case[] = [
  {
    id: 'experimental_simultaneous_bringup',
    chip: 'blank',
    parameters: { mux_ids: [0] },
    qubits: ['0', '1', '2', '3'],
    tasks: 'CheckResonatorSpectroscopy CheckSimultaneousQubitSpectroscopy CheckControlAmplitude CheckChevron',
  },
  {
    id: 'check_waveform',
    chip: 'seeded',
    parameters: { qids: [0, 1] },
    qubits: ['0', '1'],
    tasks: 'CheckWaveform',
  },
  {
    id: 'simple',
    chip: 'seeded',
    parameters: { mux_ids: [1], exclude_qids: ['6', '7'] },
    qubits: ['4', '5'],
    tasks: 'CheckRabi CreateHPIPulse CheckHPIPulse',
  },
  {
    id: 'one_qubit',
    chip: 'seeded',
    parameters: { qids: ['0', '1'] },
    qubits: ['0', '1'],
    tasks: `${CHECK} ${FINE_TUNE}`,
    settings: {
      'CreateHPIPulse hpi_duration': 32,
      'CreatePIPulse pi_duration': 32,
      'CreateDRAGHPIPulse drag_hpi_duration': 16,
      'CreateDRAGPIPulse drag_pi_duration': 24,
      'RandomizedBenchmarking interval': 150 * 1024,
    },
  },
  {
    id: 'fake_calibration',
    chip: 'seeded',
    parameters: {},
    qubits: ['0', '1', '2', '3'],
    tasks: 'CheckFineChevron CreateHPIPulse CheckRabi CheckT1 CheckT2Echo',
  },
  {
    id: 'parallel_retry',
    chip: 'seeded',
    parameters: {},
    qubits: ['0', '1', '2', '3'],
    tasks: 'CheckRabi CheckT1',
  },
];

type TemplateRun = Awaited<ReturnType<typeof runTemplate>>;

/**
 * The qubits on which all tasks completed, after a look at their order. Noise may cost a qubit, and what it lost is
 * told; it never costs the order of the others.
 */
function calibrated({ execution, byQubit }: TemplateRun, qubits: readonly string[], tasks: string): string[] {
  expect(execution).toMatchObject({ status: 'completed' });
  expect([...byQubit.keys()].sort()).toEqual(qubits);
  const passed = [...byQubit].filter(([, rows]) => rows.every((row) => row.status === 'completed'));
  expect(passed.length, execution.message ?? '').toBeGreaterThan(0);
  for (const [, rows] of passed) expect(rows.map((row) => row.name).join(' ')).toBe(tasks);
  return passed.map(([qid]) => qid).sort();
}

test('the bring-up of a blank chip finds what the one-qubit check needs', async () => {
  const place = await lab.newProject({ blank: true });
  const bringup = await runTemplate('bringup', place, { mux_ids: [0] });
  const found = calibrated(
    bringup,
    ['0', '1', '2', '3'],
    'ConfigureAll CheckResonatorSpectroscopy CheckQubitSpectroscopy CheckControlAmplitude CheckChevron',
  );
  await lab.free(place.projectId);
  const check = await runTemplate('one_qubit', place, { qids: found, check_only: true });
  calibrated(check, found, CHECK);
});

/** Those that no other test here measures with. */
const quickCases = ['check_waveform', 'simple', 'parallel_retry'];

test.each(repetitions({ quick: cases.filter(({ id }) => quickCases.includes(id)), soak: cases }))(
  'template $id calibrates a $chip chip with $parameters',
  async (given) => {
    const place = await lab.newProject({ blank: given.chip === 'blank' });
    const run = await runTemplate(given.id, place, given.parameters);
    calibrated(run, given.qubits, given.tasks);
    for (const [setting, value] of Object.entries(given.settings ?? {})) {
      const [task, parameter = ''] = setting.split(' ');
      const row = run.rows.find((each) => each.name === task);
      expect(row?.run_parameters[parameter]?.value, setting).toBe(value);
    }
  },
);

/** Says of each pair of a chip that it has a flux line, and how strong its pulses may be. */
async function declareFluxLines({ projectId, chipId }: LabChip): Promise<void> {
  const couplings = lab.database.db.collection<{ _id: string; qid: string }>('couplings');
  const pairs = await couplings.find({ project_id: projectId, chip_id: chipId }).toArray();
  const limit = { value: 0.6, value_type: 'float', unit: 'a.u.', description: '' } as const;
  const id = newId();
  await giveValues(
    lab.seedStores,
    { project_id: projectId, chip_id: chipId, kind: 'coupling' },
    new Map(pairs.map(({ qid }) => [qid, { flux_pulse_limit: limit }])),
    { task_name: 'import', execution_id: executionNamed(id), taskId: (qid) => taskNamed(derivedId(id, qid)) },
  );
}

test('the full calibration tunes qubits and then pairs, which other templates go on with', async () => {
  const place = await lab.newProject({ size: 4 });
  await declareFluxLines(place);
  const full = await runTemplate('full_calibration', place, { mux_ids: [0], exclude_qids: [3] });
  expect(full.execution.status, full.execution.message ?? '').toBe('completed');
  const isPair = (target: string) => target.includes('-');
  const tasksOf = (rows: TemplateRun['rows']) => rows.map((row) => row.name).join(' ');
  const isCz = ({ name }: TemplateRun['rows'][number]) => CZ.includes(name);
  const [pair] = [...full.byQubit].filter(
    ([target, rows]) => isPair(target) && rows.every((row) => row.status === 'completed' || isCz(row)),
  );
  if (!pair) throw new Error(`no pair passed: ${full.execution.message}`);
  expect(tasksOf(pair[1].filter((row) => !isCz(row)))).toBe(TWO_QUBIT);
  expect(CZ.startsWith(tasksOf(pair[1].filter(isCz)))).toBe(true);
  const chevrons = full.rows.filter(
    ({ name, status }) => name === 'CheckCZChevron' && status === 'completed',
  );
  expect(chevrons.length, full.execution.message ?? '').toBeGreaterThan(0);
  const [control = '', target = ''] = pair[0].split('-');
  for (const qid of [control, target]) {
    expect(tasksOf(full.byQubit.get(qid) ?? [])).toBe(`ConfigureAll ${CHECK} ${FINE_TUNE}`);
  }
  const said = await lab.areas.executions.commands.newestEntries(
    place.projectId,
    full.execution.execution_id,
    1000,
  );
  const filters = said.filter((entry) => entry.text === 'filter').map((entry) => entry.value);
  expect(filters).toEqual([
    expect.objectContaining({ criteria: 'targets of "Configure" that passed', input: 3, pass_rate: 1 }),
    expect.objectContaining({ criteria: 'targets of "One-qubit check" that passed', input: 3 }),
    expect.objectContaining({ criteria: 'x90_fidelity >= 0.9' }),
  ]);
  const steps = await lab.areas.executions.commands.ofExecution(place.projectId, full.execution.execution_id);
  expect(steps.map((step) => step.kind)).toEqual([
    'stage',
    'qubit_schedule',
    'stage',
    'qubit_schedule',
    'stage',
    'values',
    'pair_schedule',
    'stage',
    'values',
    'stage',
  ]);

  await lab.free(place.projectId);
  const one = await runTemplate('two_qubit', place, { qids: [control, target], tasks: ['CheckZX90'] });
  expect([...one.byQubit].map(([id, rows]) => [id, tasksOf(rows)])).toEqual([[pair[0], 'CheckZX90']]);

  await lab.free(place.projectId);
  const given = { schedule: [[[Number(control), target]]], tasks: ['CheckBellState'] };
  const scheduled = await runTemplate('two_qubit_scheduled', place, given);
  expect([...scheduled.byQubit].map(([id, rows]) => [id, tasksOf(rows)])).toEqual([
    [pair[0], 'CheckBellState'],
  ]);

  await lab.free(place.projectId);
  const known = await runTemplate('characterisation', place, { qids: [control, target] });
  expect([...known.byQubit.keys()].sort()).toEqual([control, target, pair[0]].sort());
  expect(tasksOf(known.byQubit.get(pair[0]) ?? [])).toBe('CheckStaticZZ');
  const names = CHARACTERISATION.split(' ');
  const completed = known.rows.filter((row) => row.status === 'completed').map((row) => row.name);
  // Noise may cost a qubit what follows in a list, hardly ever both of them.
  expect(
    names.filter((name) => !completed.includes(name)).length,
    known.execution.message ?? '',
  ).toBeLessThan(3);

  await lab.free(place.projectId);
  const limit = await runTemplate('coherence_limit', place, { qids: [control, target] });
  expect(limit.execution.status).toBe('completed');
  expect(limit.rows.map((row) => [row.qid, row.name, row.status])).toEqual(
    [
      [control, 'Check1QGateCoherenceLimit', 'completed'],
      [target, 'Check1QGateCoherenceLimit', 'completed'],
      [pair[0], 'Check2QGateCoherenceLimit', 'completed'],
    ].sort(([a = ''], [b = '']) => a.length - b.length || a.localeCompare(b)),
  );
  // It measures nothing.
  expect(await lab.journal(place.projectId, limit.execution.execution_id)).toEqual([]);
}, 300_000);

test.each(repetitions({ quick: [], soak: ['fast_full_calibration'] }))('%s has short lists', async (id) => {
  const place = await lab.newProject({ size: 4 });
  const given = { mux_ids: [0], exclude_qids: [2, 3] };
  const { execution, byQubit } = await runTemplate(id, place, given);
  expect(execution.status, execution.message ?? '').toBe('completed');
  const tuned = [...byQubit].filter(
    ([target, rows]) => !target.includes('-') && rows.every((row) => row.status === 'completed'),
  );
  expect(tuned.length).toBeGreaterThan(0);
  for (const [, rows] of tuned) {
    expect(rows.map((row) => row.name).join(' ')).toBe(`ConfigureAll ${FAST_CHECK} ${FAST_FINE_TUNE}`);
  }
  expect([...byQubit.keys()].some((target) => target.includes('-'))).toBe(true);
});

test('the retries measure what failed again beside its stored frequency, and report what stays bad', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [
      { match: { project_id: place.projectId, task_name: 'CheckRabi', targets: ['2'] }, behaviour: 'noise' },
    ],
  });
  const { execution, byQubit } = await runTemplate('parallel_retry', place, {});
  await lab.setFaults({ rules: [] });
  expect(execution.status).toBe('completed');
  const bad = (byQubit.get('2') ?? []).filter((row) => row.name === 'CheckRabi');
  expect(bad.map((row) => row.status)).toEqual(['failed', 'failed', 'failed']);
  const [stored, above, below] = bad.map((row) => Number(row.input_parameters['qubit_frequency']?.value));
  expect((above ?? 0) - (stored ?? 0)).toBeCloseTo(0.001, 6);
  expect((below ?? 0) - (stored ?? 0)).toBeCloseTo(-0.001, 6);
  const good = [...byQubit].filter(([qid]) => qid !== '2').map(([, rows]) => rows);
  expect(good.some((rows) => rows.length === 2)).toBe(true);
  const said = await lab.areas.executions.commands.newestEntries(
    place.projectId,
    execution.execution_id,
    1000,
  );
  expect(said.map((entry) => entry.text).join('\n')).toMatch(/attempt 3: 2, CheckRabi: /);
});

test('retries find a qubit that lies beside its stored frequency', async () => {
  const place = await lab.newProject();
  await lab.database.db
    .collection<{ _id: string }>('qubits')
    .updateOne(
      { _id: keyOf(place.projectId, place.chipId, '0') },
      { $inc: { 'data.qubit_frequency.value': 0.1 } },
    );
  const { byQubit } = await runTemplate('parallel_retry', place, {
    groups: [[0]],
    tasks: ['CheckT1'],
    attempts: [{}, { run_parameters: { shots: 4096 }, input_offsets: { qubit_frequency: -0.1 } }],
  });
  expect(byQubit.get('0')?.map((row) => row.status)).toEqual(['failed', 'completed']);
});

test('a chip without start values fails the one-qubit calibration naming what is missing', async () => {
  const place = await lab.newProject({ blank: true });
  const { execution, rows } = await runTemplate('one_qubit', place, { qids: ['0'] });
  expect(execution.status).toBe('failed');
  expect(rows[0]?.message).toMatch(/needs values that target 0 does not have yet: qubit_frequency/);
  expect(await lab.journal(place.projectId, execution.execution_id)).toEqual([]);
});
