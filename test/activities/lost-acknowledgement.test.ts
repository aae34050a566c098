import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { INSTANT_BACKEND, withInstantBackend } from '../../scripts/bench/instant-backend.ts';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import type { RunningWorkers } from '../../workers/workers.ts';
import {
  expectAllCompleted,
  expectNobodyHolds,
  expectNothingLostOrDoubled,
} from '../support/failure-checks.ts';
import { activitiesOf, historiesOfRun, localActivitiesOf, replay } from '../support/histories.ts';
import { type Laboratory, oneStage, openLaboratory } from '../support/laboratory.ts';
import { startOwnWorkers } from '../support/own-workers.ts';

let lab: Laboratory;
let workers: RunningWorkers;
/** Names of the activities whose first answer was lost. */
const lost: string[] = [];

/** How the answer of a measurement is lost: the workflow repeats it. */
const workerStopped = () =>
  ApplicationFailure.nonRetryable('the answer was lost', failureTypes.workerShutdown);

const firstRequest = z.tuple([z.object({ attempt: z.literal(1) })]);

/** Lets each activity do its work, and loses the answer of its first attempt, as a worker that dies then would. */
const losingFirstAnswers: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    async execute(input, next) {
      const answer = await next(input);
      if (info.attempt > 1) return answer;
      if (info.activityType === 'measure') {
        if (!firstRequest.safeParse(input.args).success) return answer;
        lost.push(info.activityType);
        throw workerStopped();
      }
      lost.push(info.activityType);
      throw ApplicationFailure.create({ message: 'the answer was lost', nextRetryDelay: 1 });
    },
  },
});

beforeAll(async () => {
  lab = await openLaboratory();
  workers = await startOwnWorkers(lab, losingFirstAnswers);
});
afterAll(async () => {
  await workers.stop();
  await lab.close();
});

test('a run all of whose record keeping is done twice stores everything once', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [
      { match: { project_id: place.projectId, targets: ['1'], task_name: 'CheckT1' }, behaviour: 'error' },
    ],
  });
  const code = `export async function flow(session) {
  const rabi = await session.run({ name: 'rabi', tasks: ['CheckRabi', 'CheckT1'], targets: session.targets.qubits(['0', '1']) });
  await session.run({ name: 'echo', tasks: ['CheckT2Echo'], targets: rabi.passed });
}
`;
  const run = await lab.startFlow(place, code);
  const execution = await lab.ended(place.projectId, run.execution_id);
  expect(execution).toMatchObject({
    status: 'completed',
    message: 'The flow ended. 4 of 5 tasks completed, 1 failed.',
    note: {
      stages: {
        '1 rabi': { completed: 3, failed: 1, skipped: 0, cancelled: 0, total: 4 },
        '2 echo': { completed: 1, failed: 0, skipped: 0, cancelled: 0, total: 1 },
      },
    },
  });
  const rows = await expectNothingLostOrDoubled(lab, place, run.execution_id);
  expect(rows.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1]);
  // The run has ended before the answer of the activity that ended it is lost.
  await expect
    .poll(() => lost)
    .toEqual(
      expect.arrayContaining([...['begin', 'advanceFlow', 'openStage', 'measure', 'closeStage', 'finalize']]),
    );
  const journal = await lab.journal(place.projectId, run.execution_id);
  expect(journal.filter(({ event }) => event === 'start')).toHaveLength(5);
  // A flow that does not answer at once is asked by activities from then on.
  await lab.free(place.projectId);
  const histories = await historiesOfRun(lab, 'flow-not-at-once', { ...place, ...run }, []);
  const isStep = (name: string) => name.startsWith('advanceFlow');
  expect(localActivitiesOf(histories).filter(isStep)).toEqual(['advanceFlowLocally']);
  expect(activitiesOf(histories).filter(isStep)).toEqual(['advanceFlow', 'advanceFlow', 'advanceFlow']);
  expect(await replay({ codePath: await workflowBundle(lab.cache) }, histories)).toEqual([]);
  await expectNobodyHolds(lab, place);
});

test('a run on a backend that keeps no records stores everything once, although all of them are kept twice', async () => {
  const place = await lab.newProject();
  const run = await withInstantBackend(lab, async () => {
    const started = await lab.startFlow(place, oneStage(['CheckT1', 'CheckT1'], ['0', '1']), {
      backend: INSTANT_BACKEND,
    });
    await lab.ended(place.projectId, started.execution_id);
    return started;
  });
  const rows = await lab.tasksOf(place.projectId, run.execution_id);
  expectAllCompleted(rows, 4);
  expect(new Set(rows.map(({ qid, index }) => `${qid} ${index}`)).size).toBe(4);
  const { versions } = await lab.areas.provenance.history(place.projectId, 't1', '0', 10);
  expect(versions.filter(({ execution_id }) => execution_id === run.execution_id)).toHaveLength(2);
  expect(lost).toContain('record');
  await expectNobodyHolds(lab, place);
});

test('what the local activity cannot record is recorded by normal ones, and the run replays', async () => {
  const place = await lab.newProject();
  const run = await withInstantBackend(lab, async () => {
    const code = oneStage(['CheckT1', 'CheckT1'], ['0', '1', '2', '3']);
    const started = await lab.startFlow(place, code, { backend: INSTANT_BACKEND });
    const ended = await lab.ended(place.projectId, started.execution_id);
    expect(ended.message).toBe('The flow ended. 8 of 8 tasks completed.');
    return started;
  });
  await lab.free(place.projectId);
  const rows = await lab.tasksOf(place.projectId, run.execution_id);
  expectAllCompleted(rows, 8);
  expect(new Set(rows.map(({ qid, index }) => `${qid} ${index}`)).size).toBe(8);
  expect(lost).toContain('recordLocally');
  const histories = await historiesOfRun(lab, 'not-at-once', { ...place, ...run }, [0]);
  expect(activitiesOf(histories)).toContain('record');
  expect(await replay({ codePath: await workflowBundle(lab.cache) }, histories)).toEqual([]);
});

test('a single task whose record keeping is done twice is stored once', async () => {
  const place = await lab.newProject();
  const run = await lab.startTask(place, 'CheckT1', '0');
  await lab.ended(place.projectId, run.execution_id);
  expectAllCompleted(await expectNothingLostOrDoubled(lab, place, run.execution_id), 1);
  expect(lost).toContain('planSingleTask');
  await expectNobodyHolds(lab, place);
});

test('a mux that appears in two steps is measured once, although all record keeping is done twice', async () => {
  const place = await lab.newProject({ blank: true });
  const schedule = [
    [['0'], ['1']],
    [['2'], ['3']],
  ];
  const tasks = ['CheckResonatorSpectroscopy', 'CheckReflectionCoefficient'];
  const code = oneStage(tasks, schedule.flat(2), `, schedule: ${JSON.stringify(schedule)}`);
  const run = await lab.startFlow(place, code);
  await lab.ended(place.projectId, run.execution_id);
  const rows = await lab.tasksOf(place.projectId, run.execution_id);
  expectAllCompleted(rows, 8);
  expect(new Set(rows.map(({ qid, index }) => `${qid} ${index}`)).size).toBe(8);
  const journal = await lab.journal(place.projectId, run.execution_id);
  expect(new Set(journal.filter(({ event }) => event === 'start').map(({ task_id }) => task_id)).size).toBe(
    5,
  );
});

test('a measurement of which nothing is heard is repeated twice, each time when the one before has let go of the instrument', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [1, 2].map((attempt) => ({
      match: { project_id: place.projectId, attempt },
      behaviour: 'silent' as const,
    })),
  });
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await lab.ended(place.projectId, run.execution_id);
  const [row] = await expectNothingLostOrDoubled(lab, place, run.execution_id);
  expect(row).toMatchObject({ status: 'completed', attempt: 3 });
  const journal = await lab.journal(place.projectId, run.execution_id);
  expect(journal.map(({ event, attempt }) => `${event} ${attempt}`)).toEqual([
    'start 1',
    'abort 1',
    'start 2',
    'abort 2',
    'start 3',
    'end 3',
  ]);
  await expectNobodyHolds(lab, place);
});
