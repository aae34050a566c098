import { beforeAll, describe, expect, test } from 'vitest';
import type { ExecutionDocument } from '../../../../shared/domain/executions/model.ts';
import { isEndStatus, waitingReason } from '../../../../shared/domain/executions/status-rules.ts';
import type { StartedRun } from '../../../../shared/domain/runs/model.ts';
import { lockWorkflowId, runWorkflowId } from '../../../../shared/kernel/engine/workflow-ids.ts';
import { messageOf } from '../../../../shared/kernel/errors.ts';
import { type CommonLaboratory, commonLaboratory } from '../../../support/common-laboratory.ts';
import {
  expectAllCompleted,
  expectNeverTogether,
  expectNobodyHolds,
  expectNothingLostOrDoubled,
} from '../../../support/failure-checks.ts';
import { eventually, type LabChip, oneStage } from '../../../support/laboratory.ts';
import { pythonVersion } from '../../../support/python.ts';
import { startPythonBackend } from '../../../support/python-backend.ts';
import { createRunStarts } from '../../../support/run-starts.ts';

const python = await pythonVersion();

let lab: CommonLaboratory;
beforeAll(async () => {
  // So small that a stage continues as new several times.
  lab = await commonLaboratory({ historyLimit: 50 });
});

const QIDS = ['0', '1', '2', '3', '4', '5'];
/** Tasks of the long run. */
const TASKS = 2 * QIDS.length;

const stored = (place: LabChip, { execution_id }: StartedRun) =>
  lab.areas.executions.store.get(place.projectId, execution_id);

/** Waits until an execution is as described. */
const becoming = (place: LabChip, run: StartedRun, look: (execution: ExecutionDocument) => boolean) =>
  eventually(async () => {
    const execution = await stored(place, run);
    return execution && look(execution) ? execution : null;
  });

/** Neither run lost or repeated a measurement, they were never measured together, and the project is free. */
async function expectBothUndisturbed(place: LabChip, long: StartedRun, short: StartedRun, tasks = 1) {
  expectAllCompleted(await expectNothingLostOrDoubled(lab, place, long.execution_id), TASKS);
  expectAllCompleted(await expectNothingLostOrDoubled(lab, place, short.execution_id), tasks);
  await expectNeverTogether(lab, place, [long.execution_id, short.execution_id]);
  await expectNobodyHolds(lab, place);
}

/** A run of two measurements on each of six qubits, two at a time, that lets others use the chip in between. */
async function startLong(place: LabChip, options: { seconds?: number; priority?: number } = {}) {
  const { seconds = 0.2, ...asked } = options;
  await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'slow', seconds }] });
  const run = await lab.startFlow(place, oneStage(['CheckT1', 'CheckRabi'], QIDS, ', parallel: 2'), {
    allowPreemption: true,
    ...asked,
  });
  await lab.measuring(place.projectId, run.execution_id);
  return run;
}

test('a run of higher priority measures between the measurements of a long run, and both show who waits for whom', async () => {
  const place = await lab.newProject();
  const long = await startLong(place, { seconds: 1 });
  const short = await lab.startTask(place, 'CheckT2Echo', '7', { priority: 5 });
  const waiting = await becoming(place, short, ({ waiting }) => Boolean(waiting));
  expect(waitingReason(waiting)).toContain(`execution ${long.execution_id} to end what it measures`);
  const lent = await becoming(place, long, ({ preempted }) => Boolean(preempted));
  expect(waitingReason(lent)).toContain(`execution ${short.execution_id}, which has a higher priority`);
  expect(await lab.runs.lockStatus(place.projectId)).toMatchObject({
    lock: true,
    execution_id: long.execution_id,
  });

  const measured = await lab.ended(place.projectId, short.execution_id);
  expect(measured).toMatchObject({ status: 'completed', preempts: long.execution_id });
  expect(isEndStatus((await stored(place, long))?.status ?? 'completed')).toBe(false);
  expect((await lab.ended(place.projectId, long.execution_id)).status).toBe('completed');

  await expectBothUndisturbed(place, long, short);
  const epochs = new Map(
    [
      ...(await lab.tasksOf(place.projectId, long.execution_id)),
      ...(await lab.tasksOf(place.projectId, short.execution_id)),
    ].map(({ execution_id, epoch }) => [`${execution_id} ${epoch}`, epoch]),
  );
  expect([...epochs.values()].sort()).toEqual([1, 2, 3]);
  const ended = await stored(place, long);
  expect(ended?.waits?.filter(({ kind }) => kind === 'preemption')).toHaveLength(1);
  expect(ended?.preempted ?? null).toBeNull();
  const { areas } = lab;
  const time = await areas.executions.time(measured, new Date());
  expect(time.parts.reduce((sum, { seconds }) => sum + seconds, 0)).toBeCloseTo(time.seconds, 6);
});

test('a long run that does not allow it, or has the same priority, keeps the chip, and the refusal says why', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId }, behaviour: 'slow', seconds: 60 }],
  });
  const closed = await lab.startFlow(place, oneStage(['CheckT1'], ['0']), { priority: 1 });
  await lab.measuring(place.projectId, closed.execution_id);
  const refused = lab.startTask(place, 'CheckT1', '1', { priority: 9 });
  await expect(refused).rejects.toMatchObject({ code: 'project_busy', status: 409 });
  await expect(refused).rejects.toThrow(
    `execution ${closed.execution_id}, and it does not allow other runs in between`,
  );
  await lab.runs.control.cancel(place.projectId, closed.execution_id);
  await lab.free(place.projectId);

  const open = await startLong(place, { seconds: 60, priority: 5 });
  const equal = lab.startTask(place, 'CheckT1', '1', { priority: 5 });
  await expect(equal).rejects.toMatchObject({ code: 'project_busy', status: 409 });
  await expect(equal).rejects.toThrow('its priority is 5, so only a run with a higher one may use the chip');
  await expect(lab.startTask(place, 'CheckT1', '1')).rejects.toMatchObject({ code: 'project_busy' });
  await lab.runs.control.cancel(place.projectId, open.execution_id);
  await lab.free(place.projectId);
  const executions = lab.database.db.collection('executions');
  expect(await executions.countDocuments({ project_id: place.projectId })).toBe(2);
});

test('what the run in between finds is what the next task of the long run is measured with', async () => {
  const place = await lab.newProject();
  const long = await startLong(place);
  const short = await lab.startFlow(place, oneStage(['CheckRabi'], ['5']), { priority: 1 });
  await lab.ended(place.projectId, short.execution_id);
  await lab.ended(place.projectId, long.execution_id);
  await expectBothUndisturbed(place, long, short);
  const rowOf = async ({ execution_id }: StartedRun, name: string) =>
    (await lab.tasksOf(place.projectId, execution_id)).find((row) => row.name === name && row.qid === '5');
  const found = (await rowOf(short, 'CheckRabi'))?.output_parameters['control_amplitude']?.value;
  expect(found).toEqual(expect.any(Number));
  const next = await rowOf(long, 'CheckRabi');
  expect(next?.input_parameters['control_amplitude']?.value).toBe(found);
});

test('the worker that dies while another run uses the chip changes nothing of either', async () => {
  const place = await lab.newProject();
  const long = await startLong(place, { seconds: 0.5 });
  const short = await lab.startFlow(place, oneStage(['CheckT2Echo'], ['7', '8', '9'], ', parallel: 1'), {
    priority: 1,
  });
  await lab.measuring(place.projectId, short.execution_id, 2);
  await lab.worker.kill();
  await lab.worker.start();
  expect((await lab.ended(place.projectId, short.execution_id)).status).toBe('completed');
  expect((await lab.ended(place.projectId, long.execution_id)).status).toBe('completed');
  expectAllCompleted(await expectNothingLostOrDoubled(lab, place, long.execution_id), TASKS);
  expectAllCompleted(await expectNothingLostOrDoubled(lab, place, short.execution_id), 3);
  // A killed process notes no end, so the order of what began and ended tells whether both measured together.
  const order = (await lab.journals(place.projectId)).map(({ execution_id }) => execution_id);
  const between = order.slice(order.indexOf(short.execution_id), order.lastIndexOf(short.execution_id));
  expect(new Set(between)).toEqual(new Set([short.execution_id]));
  await expectNobodyHolds(lab, place);
});

test('an operator ends the run in between, and the long run goes on', async () => {
  const place = await lab.newProject();
  const long = await startLong(place);
  await lab.setFaults({
    rules: [
      { match: { project_id: place.projectId, task_name: 'CheckT2Echo' }, behaviour: 'slow', seconds: 600 },
      { match: { project_id: place.projectId }, behaviour: 'slow', seconds: 0.2 },
    ],
  });
  const short = await lab.startTask(place, 'CheckT2Echo', '7', { priority: 1 });
  await lab.measuring(place.projectId, short.execution_id);
  const id = runWorkflowId({
    project_id: place.projectId,
    execution_id: short.execution_id,
    preempts: long.execution_id,
  });
  await lab.engine.client.workflow.getHandle(id).terminate('operator');
  expect(await lab.ended(place.projectId, short.execution_id)).toMatchObject({ status: 'cancelled' });
  expect((await lab.ended(place.projectId, long.execution_id)).status).toBe('completed');
  expectAllCompleted(await expectNothingLostOrDoubled(lab, place, long.execution_id), TASKS);
  await expectNeverTogether(lab, place, [long.execution_id, short.execution_id]);
  await expectNobodyHolds(lab, place);
});

test('a long run that is terminated takes the run in between with it, and the next run measures after both', async () => {
  const place = await lab.newProject();
  const long = await startLong(place);
  await lab.setFaults({
    rules: [
      { match: { project_id: place.projectId, task_name: 'CheckT2Echo' }, behaviour: 'slow', seconds: 600 },
    ],
  });
  const short = await lab.startTask(place, 'CheckT2Echo', '7', { priority: 1 });
  await lab.measuring(place.projectId, short.execution_id);
  await lab.engine.client.workflow.getHandle(lockWorkflowId(place.projectId)).terminate('operator');
  const next = await lab.startTask(place, 'CheckT1', '0');
  expect((await lab.ended(place.projectId, next.execution_id)).status).toBe('completed');
  expect(await lab.ended(place.projectId, long.execution_id)).toMatchObject({ status: 'cancelled' });
  expect(await lab.ended(place.projectId, short.execution_id)).toMatchObject({ status: 'cancelled' });
  await expectNeverTogether(
    lab,
    place,
    [long, short, next].map(({ execution_id }) => execution_id),
  );
  await expectNobodyHolds(lab, place);
});

test('a long run that is cancelled lets the run in between end first', async () => {
  const place = await lab.newProject();
  const long = await startLong(place);
  const short = await lab.startFlow(place, oneStage(['CheckT2Echo'], ['7', '8', '9'], ', parallel: 1'), {
    priority: 1,
  });
  await lab.measuring(place.projectId, short.execution_id);
  await lab.runs.control.cancel(place.projectId, long.execution_id);
  expect((await lab.ended(place.projectId, long.execution_id)).status).toBe('cancelled');
  expect((await lab.ended(place.projectId, short.execution_id)).status).toBe('completed');
  await expectNothingLostOrDoubled(lab, place, long.execution_id);
  expectAllCompleted(await expectNothingLostOrDoubled(lab, place, short.execution_id), 3);
  await expectNobodyHolds(lab, place);
});

test('a run that waits for a person is preempted at once, and the same start twice is one run', async () => {
  const place = await lab.newProject();
  const long = await lab.startFlow(
    place,
    `export async function flow(session) {
      await session.approval({ question: 'Go on?', options: ['yes', 'no'], deadline_seconds: 3600, default: 'no' });
    }`,
    { allowPreemption: true },
  );
  await becoming(place, long, ({ waiting }) => waiting?.kind === 'approval');
  const start = () => lab.startTask(place, 'CheckT1', '0', { priority: 1, idempotencyKey: 'once' });
  const [first, second] = await Promise.all([start(), start()]);
  expect(second).toEqual(first);
  expect((await lab.ended(place.projectId, first.execution_id)).status).toBe('completed');
  const execution = await becoming(place, long, ({ preempted }) => !preempted);
  expect(execution.waiting?.kind).toBe('approval');
  expect(await start()).toEqual(first);
  await lab.runs.control.stop(place.projectId, long.execution_id, 'ada');
  await lab.ended(place.projectId, long.execution_id);
  await expectNobodyHolds(lab, place);
});

test('a run in between that uses up its time is cancelled, and the long run goes on', async () => {
  const place = await lab.newProject();
  const settings = { ...lab.settings, PREEMPTION_SHARE: 12 / 3600 };
  const { db } = lab.database;
  const starts = createRunStarts({ db, engine: lab.engine, settings, areas: lab.areas, historyLimit: 50 });
  await lab.setFaults({
    rules: [
      { match: { project_id: place.projectId, task_name: 'CheckT2Echo' }, behaviour: 'slow', seconds: 600 },
      { match: { project_id: place.projectId }, behaviour: 'slow', seconds: 0.2 },
    ],
  });
  const long = await starts.startFlow(place, oneStage(['CheckT1', 'CheckRabi'], QIDS, ', parallel: 2'), {
    allowPreemption: true,
  });
  await lab.measuring(place.projectId, long.execution_id);
  const short = await lab.startTask(place, 'CheckT2Echo', '7', { priority: 1 });
  await lab.measuring(place.projectId, short.execution_id);
  const again = await lab.startTask(place, 'CheckT1', '8', { priority: 9 }).catch(messageOf);
  expect(again).toContain(`execution ${short.execution_id} uses the chip in between`);
  expect((await lab.ended(place.projectId, short.execution_id)).status).toBe('cancelled');
  const [row] = await lab.tasksOf(place.projectId, short.execution_id);
  expect(row?.status).toBe('cancelled');
  expect((await lab.ended(place.projectId, long.execution_id)).status).toBe('completed');
  expectAllCompleted(await expectNothingLostOrDoubled(lab, place, long.execution_id), TASKS);
  await expectNeverTogether(lab, place, [long.execution_id, short.execution_id]);
});

describe.skipIf(python === null)('on a worker in another language and process', () => {
  test('a run of higher priority measures between the measurements of a long run', async () => {
    const place = await lab.newProject();
    const instrument = await startPythonBackend(lab, python ?? '', {
      ...{ backend: 'fridge-1', name: 'rack', seconds: 1, atOnce: 2, json: true },
    });
    try {
      const long = await lab.startFlow(place, oneStage(['CheckT1', 'CheckT1'], QIDS, ', parallel: 2'), {
        ...{ backend: 'fridge-1', allowPreemption: true },
      });
      await lab.measuring(place.projectId, long.execution_id);
      const short = await lab.startTask(place, 'CheckT1', '7', { backend: 'fridge-1', priority: 1 });
      expect((await lab.ended(place.projectId, short.execution_id)).status).toBe('completed');
      expect(isEndStatus((await stored(place, long))?.status ?? 'completed')).toBe(false);
      expect((await lab.ended(place.projectId, long.execution_id)).status).toBe('completed');
      await expectBothUndisturbed(place, long, short);
    } finally {
      await instrument.kill();
    }
  });
});
