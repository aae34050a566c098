import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonValue } from '../../shared/executions/model.ts';
import { readTemplate } from '../../shared/flows/templates.ts';
import { type Laboratory, oneStage, openLaboratory } from './harness.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await openLaboratory();
  await lab.startWorker();
});
afterAll(() => lab.close());

type Place = Awaited<ReturnType<Laboratory['newProject']>>;

/** Runs a shipped template to its end. */
async function runTemplate(id: string, place: Place, parameters: Record<string, JsonValue>) {
  const { code, function_name } = await readTemplate(id);
  const run = await lab.startFlow(place, code, { parameters, functionName: function_name });
  const execution = await lab.ended(place.projectId, run.execution_id, 150_000);
  const rows = await lab.tasksOf(place.projectId, run.execution_id);
  const byQubit = new Map<string, typeof rows>();
  for (const row of [...rows].sort((a, b) => a.stage - b.stage || a.index - b.index)) {
    byQubit.set(row.qid, [...(byQubit.get(row.qid) ?? []), row]);
  }
  return { execution, rows, byQubit };
}

const CHECK =
  'CheckRabi CheckRabi CreateHPIPulse CheckHPIPulse CheckRabi CreateHPIPulse CheckHPIPulse CheckT1 CheckT2Echo CheckRamsey';
const FINE_TUNE =
  'CheckRabi CreateHPIPulse CheckHPIPulse CreatePIPulse CheckPIPulse CreateDRAGHPIPulse CheckDRAGHPIPulse CreateDRAGPIPulse CheckDRAGPIPulse ReadoutClassification CheckT1Average CheckT2EchoAverage Check1QGateCoherenceLimit RandomizedBenchmarking X90InterleavedRandomizedBenchmarking';

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
}, 180_000);

test.each(cases)(
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
  180_000,
);

test('the coherence limit follows from the averages measured before, and measures nothing', async () => {
  const place = await lab.newProject();
  const averages = oneStage(['CheckT1Average', 'CheckT2EchoAverage'], ['0', '1']);
  const before = await lab.startFlow(place, averages);
  await lab.ended(place.projectId, before.execution_id, 150_000);
  await lab.free(place.projectId);
  const { execution, rows } = await runTemplate('coherence_limit', place, { qids: ['0', '1'] });
  expect(execution.status).toBe('completed');
  expect(rows.map((row) => [row.name, row.status])).toEqual([
    ['Check1QGateCoherenceLimit', 'completed'],
    ['Check1QGateCoherenceLimit', 'completed'],
  ]);
  expect(await lab.journal(place.projectId, execution.execution_id)).toEqual([]);
}, 180_000);

test('the retries measure what failed again with more repetitions, and report what stays bad', async () => {
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
  expect(bad.map((row) => [row.status, row.run_parameters['shots']?.value])).toEqual([
    ['failed', 2048],
    ['failed', 4096],
    ['failed', 16_384],
  ]);
  const good = [...byQubit].filter(([qid]) => qid !== '2').map(([, rows]) => rows);
  expect(good.some((rows) => rows.length === 2)).toBe(true);
  const said = await lab.records.steps.entriesOf(place.projectId, execution.execution_id);
  expect(said.map((entry) => entry.text).join('\n')).toMatch(/attempt 3: qubit 2, CheckRabi: /);
}, 180_000);

test('a chip without start values fails the one-qubit calibration naming what is missing', async () => {
  const place = await lab.newProject({ blank: true });
  const { execution, rows } = await runTemplate('one_qubit', place, { qids: ['0'] });
  expect(execution.status).toBe('failed');
  expect(rows[0]?.message).toMatch(/needs values that target 0 does not have yet: qubit_frequency/);
  expect(await lab.journal(place.projectId, execution.execution_id)).toEqual([]);
});
