import { beforeAll, describe, expect, test } from 'vitest';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { keyOf } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { commonLaboratory } from '../support/common-laboratory.ts';
import { taskNamed } from '../support/ids.ts';
import { eventually, type LabChip, type Laboratory } from '../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

type Wanted = Parameters<Laboratory['startTask']>[3];

/** Runs a task to its end. */
async function run(place: LabChip, task: string, qid: string, wanted: Wanted = {}) {
  const { execution_id } = await lab.startTask(place, task, qid, wanted);
  const execution = await lab.ended(place.projectId, execution_id);
  await lab.free(place.projectId);
  return { execution, tasks: await lab.tasksOf(place.projectId, execution_id) };
}

const stateOf = (place: LabChip, qid: string) =>
  lab.areas.chips.state.read(place.projectId, place.chipId, 'qubit', qid);

function only(tasks: readonly TaskResultDocument[]): TaskResultDocument {
  const [task, ...others] = tasks;
  if (!task || others.length > 0) throw new Error(`${tasks.length} tasks instead of one`);
  return task;
}

describe('outputs that are not to become calibration state', () => {
  test('are kept in the task result, and nowhere else', async () => {
    const place = await lab.newProject();
    const before = await stateOf(place, '0');
    const { execution, tasks } = await run(place, 'CheckT1', '0', { persist: false });
    expect(execution.status).toBe('completed');
    const task = only(tasks);
    expect(task).toMatchObject({ status: 'completed', output_parameter_names: ['t1'] });
    expect(task.output_parameters['t1']).toMatchObject({
      value: expect.any(Number),
      unit: 'us',
      task_id: task.task_id,
      database_updated: false,
      previous_database_value: null,
    });
    expect(await stateOf(place, '0')).toEqual(before);
    const { db } = lab.database;
    const history = await db.collection('qubit_history').find({ project_id: place.projectId }).toArray();
    expect(history.filter((day) => day['data'].t1)).toEqual([]);
    const versions = await lab.areas.provenance.history(place.projectId, 't1', '0', 10);
    expect(versions.versions).toEqual([]);
  });

  test('of a failed task change nothing either', async () => {
    const place = await lab.newProject();
    const before = await stateOf(place, '0');
    await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'error' }] });
    const { execution, tasks } = await run(place, 'CheckT1', '0', { persist: false });
    await lab.setFaults({ rules: [] });
    expect(execution.status).toBe('failed');
    expect(only(tasks).status).toBe('failed');
    expect(await stateOf(place, '0')).toEqual(before);
  });
});

describe('a task made again', () => {
  test('measures with the inputs and run parameters of its source, not with those of today', async () => {
    const place = await lab.newProject();
    const source = only((await run(place, 'CheckRabi', '0', { run_overrides: { shots: 512 } })).tasks);
    const frequency = source.input_parameters['qubit_frequency'];
    await lab.database.db
      .collection<{ _id: string }>('qubits')
      .updateOne(
        { _id: keyOf(place.projectId, place.chipId, '0') },
        { $set: { 'data.qubit_frequency.value': 4.2, 'data.readout_amplitude.value': 0.3 } },
      );
    const again = await run(place, 'CheckRabi', '0', {
      source_task_id: source.task_id,
      from_snapshot: true,
      input_overrides: { control_amplitude: 0.02 },
    });
    expect(again.execution.status).toBe('completed');
    const task = only(again.tasks);
    expect(task.source_task_id).toBe(source.task_id);
    expect(task.input_parameters['qubit_frequency']).toEqual({ ...frequency, source: 'snapshot' });
    expect(task.input_parameters['readout_amplitude']?.value).toBe(
      source.input_parameters['readout_amplitude']?.value,
    );
    expect(task.input_parameters['control_amplitude']).toMatchObject({ value: 0.02, source: 'override' });
    expect(task.run_parameters).toEqual(source.run_parameters);
    expect(task.used_entities).toEqual(
      source.used_entities.filter((entity) => !entity.startsWith('control_amplitude:')),
    );
    const state = await stateOf(place, '0');
    expect(state?.data['rabi_frequency']?.task_id).toBe(task.task_id);
    expect(task.output_parameters['control_amplitude']).toMatchObject({
      database_updated: true,
      previous_database_value: source.output_parameters['control_amplitude']?.value,
    });
  });

  test('takes what is overridden in place of the run parameters of its source', async () => {
    const place = await lab.newProject();
    const source = only((await run(place, 'CheckT1', '1', { run_overrides: { shots: 512 } })).tasks);
    const again = await run(place, 'CheckT1', '1', {
      source_task_id: source.task_id,
      from_snapshot: true,
      run_overrides: { shots: 256 },
    });
    const { shots, ...others } = only(again.tasks).run_parameters;
    const { shots: before, ...othersBefore } = source.run_parameters;
    expect([before?.value, shots?.value]).toEqual([512, 256]);
    expect(others).toEqual(othersBefore);
  });

  test('is listed among the re-executions of its source while it still runs', async () => {
    const place = await lab.newProject();
    const source = only((await run(place, 'CheckT1', '0')).tasks);
    await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'stall' }] });
    const again = await lab.startTask(place, 'CheckT1', '0', {
      source_task_id: source.task_id,
      from_snapshot: true,
    });
    const listed = await eventually(async () => {
      const { re_executions } = await lab.areas.executions.taskResult(place.projectId, source.task_id);
      return re_executions.length > 0 && re_executions;
    });
    expect(listed).toMatchObject([{ task_name: 'CheckT1', qid: '0', status: 'running' }]);
    await lab.runs.control.cancel(place.projectId, again.flow_run_id);
    await lab.ended(place.projectId, again.execution_id);
    await lab.setFaults({ rules: [] });
  });

  test('fails before hardware, with a message, when its source lacks a value', async () => {
    const place = await lab.newProject();
    const source = only((await run(place, 'CheckT1', '0')).tasks);
    await lab.database.db
      .collection<TaskResultDocument>('task_results')
      .updateOne({ _id: source._id }, { $unset: { 'input_parameters.qubit_frequency': '' } });
    const again = { source_task_id: source.task_id, from_snapshot: true };
    const { execution, tasks } = await run(place, 'CheckT1', '0', { ...again, reconfigure: true });
    expect(execution.status).toBe('failed');
    const [configure, ...skipped] = tasks;
    expect(configure).toMatchObject({
      name: 'Configure',
      status: 'failed',
      message: `The task result ${source.task_id}, which CheckT1 is made from, has no value of qubit_frequency. Override what is missing, or execute the task without a snapshot.`,
    });
    expect(skipped.map((task) => [task.name, task.status])).toEqual([['CheckT1', 'skipped']]);
    expect(await lab.journal(place.projectId, execution.execution_id)).toEqual([]);
    const frequency = source.input_parameters['qubit_frequency']?.value;
    if (typeof frequency !== 'number') throw new Error('the source has no frequency');
    const cured = await run(place, 'CheckT1', '0', {
      ...again,
      input_overrides: { qubit_frequency: frequency },
    });
    expect(cured.execution.status).toBe('completed');
  });

  test('fails with a message when its source is another target, another task, or gone', async () => {
    const place = await lab.newProject();
    const source = only((await run(place, 'CheckT1', '0')).tasks);
    const again = { source_task_id: source.task_id, from_snapshot: true };
    const otherTarget = await run(place, 'CheckT1', '1', again);
    expect(otherTarget.execution).toMatchObject({
      status: 'failed',
      message: `The task result ${source.task_id} is CheckT1 of 0, not CheckT1 of 1.`,
    });
    const otherTask = await run(place, 'CheckRabi', '0', again);
    expect(otherTask.execution.message).toContain('is CheckT1 of 0, not CheckRabi of 0');
    const gone = await run(place, 'CheckT1', '0', { ...again, source_task_id: taskNamed(newId()) });
    expect(gone.execution.message).toContain('is not there any more');
    expect([...otherTarget.tasks, ...otherTask.tasks, ...gone.tasks]).toEqual([]);
  });
});

test('Configure runs first where it is requested, and takes no snapshot', async () => {
  const place = await lab.newProject();
  const source = only((await run(place, 'CheckT1', '0')).tasks);
  const { execution, tasks } = await run(place, 'CheckT1', '0', {
    source_task_id: source.task_id,
    from_snapshot: true,
    reconfigure: true,
  });
  expect(execution.status).toBe('completed');
  expect(tasks.map((task) => [task.name, task.status, task.source_task_id])).toEqual([
    ['Configure', 'completed', ''],
    ['CheckT1', 'completed', source.task_id],
  ]);
  const starts = (await lab.journal(place.projectId, execution.execution_id)).filter(
    (entry) => entry.event === 'start',
  );
  expect(starts.map((entry) => entry.task_name)).toEqual(['Configure', 'CheckT1']);
});

test('a task that is shared by a multiplexer is measured alone, after Configure', async () => {
  const place = await lab.newProject();
  const { tasks } = await run(place, 'CheckResonatorSpectroscopy', '5', { reconfigure: true });
  expect(tasks.map((task) => [task.name, task.qid])).toEqual([
    ['Configure', '5'],
    ['CheckResonatorSpectroscopy', '5'],
  ]);
});
