import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { seedQubits } from '../../../../shared/domain/chips/index.ts';
import { NO_TASK } from '../../../../shared/kernel/ids.ts';
import { commonLaboratory } from '../../../support/common-laboratory.ts';

import { type Laboratory, oneStage } from '../../../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

test('a measured value is in calibration state, daily history and provenance, each naming its task', async () => {
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1'], ['0']));
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  const [rabi, t1] = await lab.tasksOf(place.projectId, run.execution_id);
  const qubit = await lab.areas.chips.state.read(place.projectId, place.chipId, 'qubit', '0');
  expect(qubit?.status).toBe('completed');
  expect(qubit?.data['t1']).toMatchObject({
    unit: 'us',
    execution_id: run.execution_id,
    task_id: t1?.task_id,
  });
  const { db } = lab.database;
  const [day] = await db
    .collection('qubit_history')
    .find({ project_id: place.projectId, qid: '0' })
    .toArray();
  expect(day?.['data'].t1.value).toBe(qubit?.data['t1']?.value);
  const chipDays = await db.collection('chip_history').find({ project_id: place.projectId }).toArray();
  expect(chipDays).toMatchObject([{ chip_id: 'CHIP', size: 16, qubits: 16, couplings: 48 }]);
  const history = await lab.areas.provenance.history(place.projectId, 'control_amplitude', '0', 10);
  expect(history.versions.map((version) => [version.version, version.task_name])).toEqual([
    [2, 'CheckRabi'],
    [1, 'SeedImport'],
  ]);
  expect(history.versions[1]?.valid_until).toBe(history.versions[0]?.valid_from);
  expect(rabi?.output_parameters['control_amplitude']).toMatchObject({
    database_updated: true,
    previous_database_value: history.versions[1]?.value,
  });
  const entity = `t1:Q0:${run.execution_id}:${t1?.task_id}`;
  const lineage = await lab.areas.provenance.lineage(place.projectId, entity, 5);
  const relations = new Set(lineage?.edges.map((edge) => edge.relation_type));
  expect(relations).toEqual(new Set(['wasGeneratedBy', 'used']));
  expect(lineage?.nodes.some((node) => node.entity?.parameter_name === 'hpi_amplitude')).toBe(true);
});

test("a coupling's value is in its own state, daily history and provenance, and can be made again", async () => {
  const place = await lab.newProject({ blank: true });
  const microseconds = (value: number) => ({ value, value_type: 'float', unit: 'us', description: '' });
  const times = { t1_average: microseconds(60), t2_echo_average: microseconds(70) };
  await seedQubits(
    lab.seedStores,
    { project_id: place.projectId, chip_id: place.chipId },
    new Map([
      ['0', times],
      ['1', times],
    ]),
  );
  const run = await lab.startTask(place, 'Check2QGateCoherenceLimit', '0-1', {
    input_overrides: { zx90_gate_time: 200 },
  });
  await lab.ended(place.projectId, run.execution_id);
  const [task] = await lab.tasksOf(place.projectId, run.execution_id);
  expect(task).toMatchObject({ status: 'completed', message: 'Check2QGateCoherenceLimit is completed.' });
  const coupling = await lab.areas.chips.state.read(place.projectId, place.chipId, 'coupling', '0-1');
  const limit = coupling?.data['two_qubit_gate_coherence_limit'];
  expect(limit).toMatchObject({ value: expect.any(Number), qid_role: 'coupling', task_id: task?.task_id });
  const days = await lab.database.db
    .collection('coupling_history')
    .find({ project_id: place.projectId })
    .toArray();
  expect(days).toMatchObject([{ qid: '0-1', data: { two_qubit_gate_coherence_limit: limit } }]);
  const { versions } = await lab.areas.provenance.history(
    place.projectId,
    'two_qubit_gate_coherence_limit',
    '0-1',
    10,
  );
  expect(versions).toMatchObject([{ qid: 'Q0-Q1', value: limit?.value, task_id: task?.task_id }]);
  await lab.free(place.projectId);
  const again = await lab.startTask(place, 'Check2QGateCoherenceLimit', '0-1', {
    source_task_id: task?.task_id ?? NO_TASK,
    from_snapshot: true,
  });
  await lab.ended(place.projectId, again.execution_id);
  const [repeated] = await lab.tasksOf(place.projectId, again.execution_id);
  expect(repeated?.output_parameters['two_qubit_gate_coherence_limit']).toMatchObject({
    value: limit?.value,
    previous_database_value: limit?.value,
  });
  expect(repeated?.used_entities).toEqual(task?.used_entities);
  expect(repeated?.used_entities).toHaveLength(4);
});

test('a second measurement of the same day is a new version derived from the first', async () => {
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckT1', 'CheckT1'], ['0']));
  await lab.ended(place.projectId, run.execution_id);
  const { versions, total_versions } = await lab.areas.provenance.history(place.projectId, 't1', 'Q00', 10);
  expect(total_versions).toBe(2);
  const lineage = await lab.areas.provenance.lineage(place.projectId, versions[0]?.entity_id ?? '', 5);
  expect(lineage?.edges).toContainEqual({
    relation_type: 'wasDerivedFrom',
    source_id: versions[0]?.entity_id,
    target_id: versions[1]?.entity_id,
  });
  const old = await lab.areas.provenance.lineage(place.projectId, versions[1]?.entity_id ?? '', 5);
  expect(old?.origin.latest_version).toBe(2);
});

test("a failed fit keeps its figure, writes no value, and skips the target's later tasks", async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [
      { match: { project_id: place.projectId, task_name: 'CheckRabi', targets: ['1'] }, behaviour: 'noise' },
    ],
  });
  const before = await lab.areas.chips.state.read(place.projectId, place.chipId, 'qubit', '1');
  const run = await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1', 'CheckT1'], ['0', '1']));
  const execution = await lab.ended(place.projectId, run.execution_id);
  expect(execution).toMatchObject({ status: 'completed' });
  expect(execution.message).toBe('The flow ended. 3 of 6 tasks completed, 1 failed, 2 skipped.');
  expect(execution.note.stages).toEqual({
    '1 check': { completed: 3, failed: 1, skipped: 2, cancelled: 0, total: 6 },
  });
  const tasks = (await lab.tasksOf(place.projectId, run.execution_id)).filter((task) => task.qid === '1');
  const [failed, ...later] = tasks;
  expect(failed).toMatchObject({
    name: 'CheckRabi',
    status: 'failed',
    output_parameters: {},
    output_parameter_names: [],
  });
  expect(failed?.message).toMatch(/CheckRabi.*(r2 [-\d.]+ is not above 0\.6|refused)/);
  expect(failed?.figure_path.length).toBeGreaterThan(0);
  expect(failed?.raw_data_path).toHaveLength(1);
  const figure: unknown = JSON.parse(await readFile(lab.pathOf(failed?.json_figure_path[0] ?? ''), 'utf8'));
  expect(figure).toMatchObject({ data: expect.arrayContaining([expect.anything()]) });
  expect(later.map((task) => task.status)).toEqual(['skipped', 'skipped']);
  expect(later[0]?.message).toContain('Skipped, because CheckRabi failed on 1');
  const after = await lab.areas.chips.state.read(place.projectId, place.chipId, 'qubit', '1');
  expect(after?.data).toEqual(before?.data);
  expect(after?.status).toBe('failed');
  await lab.setFaults({ rules: [] });
});

describe('a refused coherence time', () => {
  const tasks = ['CheckRabi', 'CheckT1Average', 'Check1QGateCoherenceLimit', 'CheckT2Echo'];

  test('does not end its qubit: later tasks go on, and what is computed from it fails for itself', async () => {
    const place = await lab.newProject();
    const rule = { project_id: place.projectId, task_name: 'CheckT1Average', targets: ['1'] };
    await lab.setFaults({
      rules: [{ match: rule, behaviour: 'lie', lie: { factor: 1, r2: 0.1, errors: true } }],
    });
    const options = ', run_parameters: { n_runs: 2 }';
    const run = await lab.startFlow(place, oneStage(tasks, ['1'], options));
    const execution = await lab.ended(place.projectId, run.execution_id);
    await lab.setFaults({ rules: [] });
    expect(execution.message).toBe('The flow ended. 2 of 4 tasks completed, 2 failed.');
    const rows = await lab.tasksOf(place.projectId, run.execution_id);
    expect(rows.map(({ status, message }) => `${status}: ${message}`)).toEqual([
      'completed: CheckRabi is completed.',
      'failed: The fit of CheckT1Average is not good enough: r2 0.1 is not above 0.7.',
      expect.stringMatching(/^failed: Check1QGateCoherenceLimit needs values .*t1_average/),
      'completed: CheckT2Echo is completed.',
    ]);
    const step = await lab.areas.executions.commands.get(place.projectId, run.execution_id, 0);
    expect(step?.summary).toMatchObject({ passed: ['1'], failed: [{ task: tasks[1] }, { task: tasks[2] }] });
  });

  test('is no pass of a stage that found nothing else', async () => {
    const place = await lab.newProject();
    await lab.setFaults({
      rules: [
        {
          match: { project_id: place.projectId },
          behaviour: 'lie',
          lie: { factor: 1, r2: 0.1, errors: true },
        },
      ],
    });
    const run = await lab.startFlow(place, oneStage(['Configure', 'CheckT1'], ['0']));
    const execution = await lab.ended(place.projectId, run.execution_id);
    await lab.setFaults({ rules: [] });
    expect(execution).toMatchObject({ status: 'failed', note: { stages: { '1 check': { failed: 1 } } } });
  });
});

test("a blank chip's run fails naming the missing inputs and touches no instrument", async () => {
  const place = await lab.newProject({ blank: true });
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0', '1']));
  const execution = await lab.ended(place.projectId, run.execution_id);
  expect(execution.status).toBe('failed');
  expect(execution.message).toContain('No target passed any stage.');
  const tasks = await lab.tasksOf(place.projectId, run.execution_id);
  expect(tasks.map((each) => each.status)).toEqual(['failed', 'failed']);
  const task = tasks.find((each) => each.qid === '0');
  expect(task?.message).toMatch(
    /needs values that target 0 does not have yet: .*qubit_frequency.*hpi_amplitude/,
  );
  expect(await lab.journal(place.projectId, run.execution_id)).toEqual([]);
  // The record is closed a moment before the workflow is.
  await lab.free(place.projectId);
  const description = await lab.engine.client.workflow
    .getHandle(`exec:${place.projectId}`, run.flow_run_id)
    .describe();
  expect(description.status.name).toBe('FAILED');
});

test('a single task runs under the same lock, and fails its run when it fails', async () => {
  const place = await lab.newProject();
  const good = await lab.startTask(place, 'CheckT1', '3');
  expect((await lab.ended(place.projectId, good.execution_id)).status).toBe('completed');
  await lab.free(place.projectId);
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId }, behaviour: 'error', message: 'no' }],
  });
  const bad = await lab.startTask(place, 'CheckT1', '3');
  const execution = await lab.ended(place.projectId, bad.execution_id);
  expect(execution).toMatchObject({ status: 'failed' });
  expect(execution.message).toContain('CheckT1 did not pass on 3.');
  await lab.setFaults({ rules: [] });
});
