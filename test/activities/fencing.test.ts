import { MockActivityEnvironment } from '@temporalio/testing';
import { beforeAll, expect, test } from 'vitest';
import type { RecordInput } from '../../activities/contracts/steps.ts';
import { createExecutionActivities } from '../../activities/execution.ts';
import { taskIdAt } from '../../activities/record/task-ids.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';
import { NO_EXECUTION, NO_TASK, type TaskId } from '../../shared/kernel/ids.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { findTask } from '../../shared/tasks/catalog.ts';
import { commonLaboratory } from '../support/common-laboratory.ts';
import { executionNamed, taskNamed } from '../support/ids.ts';
import { eventually, type Laboratory, oneStage, runOf } from '../support/laboratory.ts';
import { heldRun, recordActivities } from '../support/record-keeping.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

/** The record activities of a worker, called as the engine would call a late one. */
const lateRecords = () => recordActivities(lab);

test('a worker of an older epoch that wakes up late changes no calibration state', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId, task_name: 'CheckT1' }, behaviour: 'stall' }],
  });
  const first = await lab.startFlow(place, oneStage(['CheckT1'], ['0', '1']));
  await lab.measuring(place.projectId, first.execution_id);
  const [task] = await lab.tasksOf(place.projectId, first.execution_id);
  const old: HeldRun = {
    ...runOf(place, first.execution_id),
    epoch: (await lab.runs.locks.get(place.projectId))?.epoch ?? 0,
    flow_run_id: first.flow_run_id,
  };
  await lab.engine.client.workflow.getHandle(`exec:${place.projectId}`).terminate('operator');
  await lab.setFaults({ rules: [] });
  const second = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await lab.ended(place.projectId, second.execution_id);
  // The reconciler would close the task once more.
  await lab.ended(place.projectId, first.execution_id);
  const state = () =>
    lab.database.db
      .collection('qubits')
      .find({ project_id: place.projectId })
      .sort({ qid_order: 1 })
      .toArray();
  const before = await state();
  // The old worker thinks that its task still runs: without the epoch it would write now.
  await lab.database.db
    .collection('task_results')
    .updateOne({ project_id: place.projectId, task_id: task?.task_id }, { $set: { status: 'running' } });
  const answer = { targets: { [task?.qid ?? '']: { outputs: { t1: { value: 999 } } } } };
  const late = lateRecords().record({
    run: old,
    stage: 0,
    targets: [task?.qid ?? ''],
    index: 0,
    step: 'finish_and_continue',
    finished: { task_id: task?.task_id ?? NO_TASK, pass: 1, attempt: 1, result: answer, failure: null },
  });
  await expect(late).rejects.toMatchObject({ type: failureTypes.fenced, nonRetryable: true });
  expect(await state()).toEqual(before);
});

test('state of a later epoch refuses an older write even where the lock is not asked', async () => {
  const place = await lab.newProject();
  const write = (epoch: number, sequence: number, value: number) =>
    lab.areas.chips.state.write(
      { project_id: place.projectId, chip_id: place.chipId, kind: 'qubit', qid: '0' },
      { epoch, sequence },
      {
        status: 'completed',
        data: {
          t1: {
            value,
            parameter_name: 't1',
            qid_role: '',
            required: false,
            value_type: 'float',
            unit: 'us',
            description: '',
            execution_id: NO_EXECUTION,
            task_id: NO_TASK,
          },
        },
      },
      { recorded_date: '20261121', cooldown_id: null },
    );
  await write(3, 1, 40);
  await expect(write(2, 9, 1)).rejects.toThrow(/newer run/);
  await expect(write(3, 0, 2)).rejects.toThrow(/newer run/);
  await write(3, 1, 41);
  const qubit = await lab.areas.chips.state.read(place.projectId, place.chipId, 'qubit', '0');
  expect(qubit?.data['t1']?.value).toBe(41);
});

test('the same record twice stores one result, one version and answers the same', async () => {
  const { place, started, run } = await heldRun(lab, { tasks: ['CheckT1', 'CheckT1'], qids: ['0'] });
  const [task] = await lab.tasksOf(place.projectId, started.execution_id);
  const input = {
    run,
    stage: 0,
    targets: ['0'],
    index: 0,
    step: 'finish_and_continue' as const,
    finished: {
      task_id: task?.task_id ?? NO_TASK,
      pass: 1,
      attempt: 1,
      result: { targets: { 0: { outputs: { t1: { value: 42, error: 1 } }, quality: { r2: 0.99 } } } },
      failure: null,
    },
  };
  const { record } = lateRecords();
  const answers = await Promise.all([record(input), record(input), record(input)]);
  for (const answer of answers) {
    expect(answer).toMatchObject({ completed: 1, failed: 0, skipped: 0, index: 1 });
    expect(answer.next?.request.task_id).toBe(taskIdAt({ ...input, index: 1 }));
  }
  // A step that fails costs the other, which is repeated beside it, nothing.
  const unknown = { ...input, targets: ['1'], finished: { ...input.finished, task_id: taskNamed(newId()) } };
  const [failed, repeated] = await Promise.allSettled([record(unknown), record(input)]);
  expect(failed).toMatchObject({ status: 'rejected', reason: { type: failureTypes.notStartable } });
  expect(repeated).toMatchObject({
    status: 'fulfilled',
    value: { completed: 1, failed: 0, skipped: 0, index: 1 },
  });
  // History and end status are written while the next task is measured.
  const statuses = async () =>
    (await lab.tasksOf(place.projectId, started.execution_id)).map((row) => row.status);
  await expect.poll(statuses).toEqual(['completed', 'running']);
  const { versions } = await lab.areas.provenance.history(place.projectId, 't1', '0', 10);
  expect(versions).toMatchObject([{ value: 42, version: 1 }]);
  await lab.runs.control.cancel(place.projectId, started.flow_run_id);
  await lab.ended(place.projectId, started.execution_id);
  await lab.setFaults({ rules: [] });
});

/** A step of a run that holds its project and has not come to the target `1` yet. */
async function stepOfHeldRun() {
  const { place, run } = await heldRun(lab, { tasks: ['CheckT1', 'CheckT1'] });
  return { place, step: { run, stage: 0, targets: ['1'], index: 0 } };
}

function measured(value: number) {
  return { targets: { 1: { outputs: { t1: { value, error: 1 } }, quality: { r2: 0.99 } } } };
}

test('a task that another process recorded, or that ended with its run, stays as it is, though its maker has just made it', async () => {
  const { place, step } = await stepOfHeldRun();
  const maker = lateRecords();
  const closing = (task_id: TaskId, value: number): RecordInput => ({
    ...step,
    step: 'finish',
    finished: { task_id, pass: 1, attempt: 1, result: measured(value), failure: null },
  });
  const recorded = taskIdAt(step);
  await maker.record({ ...step, step: 'prepare' });
  const rowOf = (task_id: TaskId) => lab.areas.results.get(place.projectId, task_id);
  await lateRecords().record(closing(recorded, 42));
  expect(await maker.record(closing(recorded, 43))).toMatchObject({ completed: 1, failed: 0 });
  expect(await rowOf(recorded)).toMatchObject({
    status: 'completed',
    output_parameters: { t1: { value: 42 } },
  });
  const after = { ...step, index: 1 };
  const ended = taskIdAt(after);
  await maker.record({ ...after, step: 'prepare' });
  await lab.areas.results.closeOpen(place.projectId, step.run.execution_id, 'cancelled', new Date());
  expect(await maker.record({ ...closing(ended, 43), index: 1 })).toMatchObject({
    ...{ completed: 0, failed: 0, passed: [] },
  });
  expect(await rowOf(ended)).toMatchObject({ status: 'cancelled', output_parameters: {} });
  const qubit = await lab.areas.chips.state.read(place.projectId, place.chipId, 'qubit', '1');
  expect(qubit?.data['t1']?.value).toBe(42);
});

test('begin refuses an execution that has ended and one that another run owns', async () => {
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await lab.ended(place.projectId, run.execution_id);
  await eventually(async () => (await lab.runs.locks.get(place.projectId))?.state === 'free');
  const { begin } = createExecutionActivities({
    areas: lab.areas,
    engine: lab.engine,
    figures: { endRun: () => {} },
    findTask,
    log: createLog('test', 'SILENT'),
  });
  const identity = runOf(place, run.execution_id);
  const environment = new MockActivityEnvironment(undefined, { client: lab.engine.client });
  const beginAs = (input: Parameters<typeof begin>[0]) => environment.run(begin, input);
  const again = beginAs({ run: identity, flow_run_id: run.flow_run_id });
  await expect(again).rejects.toMatchObject({ type: failureTypes.notStartable, message: /has ended/ });
  const other = beginAs({ run: identity, flow_run_id: newId() });
  await expect(other).rejects.toMatchObject({
    type: failureTypes.notStartable,
    message: /belongs to another run/,
  });
  const unknown = beginAs({
    run: { ...identity, execution_id: executionNamed('20200101-000') },
    flow_run_id: newId(),
  });
  await expect(unknown).rejects.toMatchObject({
    type: failureTypes.notStartable,
    message: /never requested/,
  });
});
