import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MeasureRequest } from '../../activities/backends/backend.ts';
import type { MeasureAndRecordInput } from '../../activities/contracts/steps.ts';
import { nothing } from '../../scripts/bench/instant-backend.ts';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';
import { backendQueue, stageWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import { SIMULATOR_BACKEND } from '../../shared/tasks/model.ts';
import { expectAllCompleted, expectNobodyHolds } from '../support/failure-checks.ts';
import { type Laboratory, oneStage, openLaboratory } from '../support/laboratory.ts';
import { recordActivities } from '../support/record-keeping.ts';

let lab: Laboratory;
let connection: NativeConnection;
beforeAll(async () => {
  lab = await openLaboratory({ WORKER_QUEUES: 'calibration' });
  await lab.startWorker();
  connection = await NativeConnection.connect({ address: lab.settings.TEMPORAL_ADDRESS });
});
afterAll(async () => {
  await connection.close();
  await lab.close();
});

/** Runs `body` while a worker of the simulator with these activities serves its queue. */
async function withWorker(activities: object, body: () => Promise<void>): Promise<void> {
  const worker = await Worker.create({
    connection,
    namespace: lab.settings.TEMPORAL_NAMESPACE,
    taskQueue: backendQueue(SIMULATOR_BACKEND),
    activities,
  });
  await worker.runUntil(body);
}

/** What a stage asked of the engine: names of activities, and `timer`. */
async function askedBy(projectId: string, executionId: string): Promise<string[]> {
  const stage = stageWorkflowId(projectId, executionId, 0);
  const { events } = await lab.engine.client.workflow.getHandle(stage).fetchHistory();
  return (events ?? []).flatMap((event) => {
    const name = event.activityTaskScheduledEventAttributes?.activityType?.name;
    return name ? [name] : event.timerStartedEventAttributes ? ['timer'] : [];
  });
}

let measured = 0;
const measure = async (request: MeasureRequest) => {
  measured += 1;
  return nothing(request);
};

test('a simulator of an earlier release, which keeps no records, measures in two activities a task', async () => {
  const place = await lab.newProject();
  await withWorker({ measure }, async () => {
    const run = await lab.startFlow(place, oneStage(['CheckT1', 'CheckT1'], ['0', '1']));
    await lab.ended(place.projectId, run.execution_id);
    expectAllCompleted(await lab.tasksOf(place.projectId, run.execution_id), 4);
    const asked = await askedBy(place.projectId, run.execution_id);
    expect(asked.filter((name) => name === 'measure')).toHaveLength(4);
  });
  await expectNobodyHolds(lab, place);
});

/** How a worker of today ends a task, whose measurement somebody made. */
async function recorded({ run, stage, targets, index, task_id, attempt }: MeasureAndRecordInput) {
  const step = { run, stage, targets, index, finished: null, next_task_id: task_id, again: true };
  const { record } = recordActivities(lab);
  const { next } = await record(step);
  if (!next) throw new Error('nothing is to be measured');
  const finished = { task_id, attempt, result: nothing(next.request), failure: null };
  return { recorded: await record({ ...step, finished, next_task_id: null }) };
}

test('a task that a worker of today began is not begun anew by one of an earlier release', async () => {
  const place = await lab.newProject();
  measured = 0;
  const attempts: boolean[] = [];
  const measureAndRecord = async (input: MeasureAndRecordInput) => {
    attempts.push(input.again);
    if (input.attempt === 1) throw ApplicationFailure.nonRetryable('It stops.', failureTypes.workerShutdown);
    if (input.attempt === 2)
      throw ApplicationFailure.nonRetryable('No such activity.', failureTypes.unknownActivity);
    return recorded(input);
  };
  await withWorker({ measure, measureAndRecord }, async () => {
    const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
    await lab.ended(place.projectId, run.execution_id);
    expectAllCompleted(await lab.tasksOf(place.projectId, run.execution_id), 1);
  });
  expect(attempts).toEqual([false, true, true]);
  expect(measured).toBe(0);
  await expectNobodyHolds(lab, place);
});

test('a worker that cannot begin a task again and again is asked after a pause', async () => {
  const place = await lab.newProject();
  let refusals = 2;
  const measureAndRecord = async (input: MeasureAndRecordInput) => {
    if (refusals === 0) return recorded(input);
    refusals -= 1;
    const { run, stage, targets, index, task_id, again } = input;
    return { undone: { run, stage, targets, index, finished: null, next_task_id: task_id, again } };
  };
  await withWorker({ measureAndRecord }, async () => {
    const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
    await lab.ended(place.projectId, run.execution_id);
    expectAllCompleted(await lab.tasksOf(place.projectId, run.execution_id), 1);
    const asked = await askedBy(place.projectId, run.execution_id);
    const second = asked.lastIndexOf('measureAndRecord');
    const first = asked.indexOf('measureAndRecord');
    expect(asked.slice(first, second + 1).filter((name) => name !== 'timer')).toEqual([
      'measureAndRecord',
      'record',
      'measureAndRecord',
      'record',
      'measureAndRecord',
    ]);
    expect(asked[second - 1]).toBe('timer');
  });
  await expectNobodyHolds(lab, place);
});
