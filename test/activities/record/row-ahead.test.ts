import { beforeAll, expect, test } from 'vitest';
import type { RecordInput } from '../../../activities/contracts/steps.ts';
import { taskIdAt } from '../../../activities/record/task-ids.ts';
import type { CalibrationStateStore } from '../../../shared/domain/chips/index.ts';
import type { StoredParameter, TaskOutcome } from '../../../shared/domain/results/model.ts';
import type { HeldRun } from '../../../shared/domain/runs/run-model.ts';
import type { TaskId } from '../../../shared/kernel/ids.ts';
import { newId } from '../../../shared/kernel/new-ids.ts';
import { commonLaboratory } from '../../support/common-laboratory.ts';
import { executionNamed, taskNamed } from '../../support/ids.ts';
import type { LabChip, Laboratory } from '../../support/laboratory.ts';
import { heldRun, recordActivities } from '../../support/record-keeping.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

const QID = '1';
const DAY = { recorded_date: '20261121', cooldown_id: null };

/** A run that holds its project, and a step of a target that it has not come to. */
async function heldStep(tasks: readonly string[] = ['CheckT1', 'CheckT1']) {
  const { place, started, run } = await heldRun(lab, { tasks });
  const step = { run, stage: 0, targets: [QID], index: 0 };
  const target = { project_id: place.projectId, chip_id: place.chipId, kind: 'qubit' as const, qid: QID };
  const state = async () =>
    (await lab.areas.chips.state.read(place.projectId, place.chipId, 'qubit', QID)) ??
    expect.fail('no such qubit');
  return { place, started, run, step, target, state };
}

type Step = Awaited<ReturnType<typeof heldStep>>['step'];

const rowOf = (place: LabChip, id: string) => lab.areas.results.get(place.projectId, taskNamed(id));

/** Record activities whose calibration state behaves as it is told. */
function recordsWith(given: Partial<CalibrationStateStore>): ReturnType<typeof recordActivities> {
  const { chips } = lab.areas;
  return recordActivities(lab, {
    areas: { ...lab.areas, chips: { ...chips, state: { ...chips.state, ...given } } },
  });
}

/** Makes the row of the first task, as before its measurement. */
async function begun({ record }: ReturnType<typeof recordActivities>, step: Step): Promise<string> {
  await record({ ...step, step: 'prepare' });
  return taskIdAt(step);
}

/** What records the first task, and makes the row of the next one. */
function closing(step: Step, task_id: TaskId, outputs: Record<string, unknown>): RecordInput {
  const result = { targets: { [QID]: { outputs, quality: { r2: 0.99 } } } };
  const finished = { task_id, pass: 1, attempt: 1, result, failure: null };
  return { ...step, step: 'finish_and_continue', finished };
}

/** Id of the task after the first one. */
const nextIdOf = (step: Step) => taskIdAt({ ...step, index: step.index + 1 });

const t1 = { t1: { value: 42, error: 1 } };

function stored(parameter_name: string, value: number, unit: string): StoredParameter {
  return {
    ...{ parameter_name, value, unit, value_type: 'float', qid_role: '', required: false },
    ...{ description: '', execution_id: executionNamed('candidate'), task_id: taskNamed(newId()) },
  };
}

/** Ends the run, as people do. */
async function cancelled({ project_id, execution_id }: HeldRun, flowRunId: string): Promise<void> {
  await lab.runs.control.cancel(project_id, flowRunId);
  await lab.ended(project_id, execution_id);
}

test('the next task measures with what people made calibration state while the one before was measured', async () => {
  const { place, step, target, state } = await heldStep();
  const records = recordActivities(lab);
  const first = await begun(records, step);
  const before = (await state()).data['qubit_frequency'] ?? expect.fail('the qubit has no frequency');
  const frequency = Number(before.value) + 0.001;
  const given = { qubit_frequency: stored('qubit_frequency', frequency, 'GHz') };
  await lab.areas.chips.state.exchange(target, { qubit_frequency: before }, given, DAY);
  const late = closing(step, taskNamed(first), t1);
  const { next } = await records.record(late);
  expect(next?.request).toMatchObject({
    task_id: nextIdOf(step),
    input_parameters: { qubit_frequency: { value: frequency } },
  });
  const row = await rowOf(place, nextIdOf(step));
  expect(row).toMatchObject({
    status: 'running',
    upstream_id: first,
    input_parameters: { qubit_frequency: { value: frequency, execution_id: 'candidate' } },
  });
  expect(row?.used_entities.filter((id) => id.includes('candidate'))).toHaveLength(1);
  expect((await state()).data).toMatchObject({
    t1: { value: 42 },
    qubit_frequency: { value: frequency },
  });
});

test('the next task does not fail for want of a value that people gave while the one before was measured', async () => {
  const { place, step, target } = await heldStep(['CreateHPIPulse', 'CheckT1']);
  await lab.database.db
    .collection('qubits')
    .updateOne({ project_id: place.projectId, qid: QID }, { $unset: { 'data.hpi_amplitude': '' } });
  const records = recordActivities(lab);
  const first = await begun(records, step);
  const given = { hpi_amplitude: stored('hpi_amplitude', 0.1, 'a.u.') };
  await lab.areas.chips.state.exchange(target, { hpi_amplitude: null }, given, DAY);
  // The answer says nothing of the amplitude, so that the next task would have none.
  const late = closing(step, taskNamed(first), { hpi_length: { value: 30, error: 0 } });
  const recorded = await records.record(late);
  expect(recorded).toMatchObject({ completed: 1, failed: 0, passed: [QID] });
  expect(recorded.next?.request.input_parameters).toMatchObject({ hpi_amplitude: { value: 0.1 } });
  expect((await rowOf(place, nextIdOf(step)))?.status).toBe('running');
});

test('no task follows one of which another worker has said before that it failed', async () => {
  const { place, step } = await heldStep();
  const records = recordActivities(lab);
  const first = await begun(records, step);
  const row = (await rowOf(place, first)) ?? expect.fail('no row');
  const failed: TaskOutcome = {
    ...{ status: 'failed', message: 'the line is cut', outputs: {}, quality_metrics: {} },
    ...{ figure_path: [], json_figure_path: [], raw_data_path: [], end_at: new Date(), start_at: null },
  };
  await lab.areas.results.setOutcome(row, failed, 1);
  const late = closing(step, taskNamed(first), t1);
  expect(await records.record(late)).toMatchObject({ completed: 0, failed: 1, passed: [], next: null });
  expect(await rowOf(place, first)).toMatchObject({ status: 'failed', message: 'the line is cut' });
  expect(await rowOf(place, nextIdOf(step))).toBeNull();
});

test('a run that ends when a worker died between the row of the next task and calibration state writes that state', async () => {
  const { place, started, run, step, state } = await heldStep();
  const nextId = nextIdOf(step);
  const dying = recordsWith({
    async write() {
      await expect.poll(() => rowOf(place, nextId)).not.toBeNull();
      throw new Error('its process was killed');
    },
  });
  const first = await begun(dying, step);
  await expect(dying.record(closing(step, taskNamed(first), t1))).rejects.toThrow('killed');
  await cancelled(run, started.flow_run_id);
  expect(await rowOf(place, first)).toMatchObject({
    status: 'completed',
    output_parameters: { t1: { value: 42 } },
  });
  expect((await rowOf(place, nextId))?.status).toBe('cancelled');
  expect((await state()).data).toMatchObject({ t1: { value: 42, task_id: first } });
  const { versions } = await lab.areas.provenance.history(place.projectId, 't1', QID, 10);
  expect(versions[0]).toMatchObject({ value: 42, task_id: first });
});

test('a run that ends leaves the value that people chose in place of one of its own', async () => {
  const { place, started, run, step, target, state } = await heldStep();
  const never = { endNow: async () => false, takeBack: () => null };
  const dying = recordActivities(lab, { trailing: { follow: () => never } });
  const first = await begun(dying, step);
  await dying.record(closing(step, taskNamed(first), t1));
  expect(await rowOf(place, first)).toMatchObject({ status: 'running', outcome: { outputs: t1 } });
  const own = (await state()).data['t1'] ?? expect.fail('the value is no calibration state');
  await lab.areas.chips.state.exchange(target, { t1: own }, { t1: stored('t1', 50, 'us') }, DAY);
  await cancelled(run, started.flow_run_id);
  expect((await rowOf(place, first))?.status).toBe('completed');
  expect((await state()).data['t1']?.value).toBe(50);
});

test('rows of a run that are made together share what was read of the cool-down, unless it could not be read', async () => {
  const { step } = await heldStep();
  const asked: string[] = [];
  const { record } = recordsWith({
    async currentCooldown(_projectId, chipId) {
      asked.push(chipId);
      if (asked.length === 1) throw new Error('the store is away');
      return 'CD1';
    },
  });
  const make = (index = 0) => record({ ...step, index, step: 'prepare' });
  await expect(make()).rejects.toThrow('the store is away');
  await Promise.all([make(), make(1)]);
  expect(asked).toHaveLength(2);
  const { run } = await heldStep();
  await record({ ...step, run, step: 'prepare' });
  expect(asked).toHaveLength(3);
});
