import { beforeAll, expect, test } from 'vitest';
import { createSimulator } from '../../activities/backends/simulator/simulator.ts';
import { INSTANT_BACKEND, withInstantBackend } from '../../scripts/bench/instant-backend.ts';
import { createProjectDeletion } from '../../shared/domain/projects/index.ts';
import type { StartedRun } from '../../shared/domain/runs/model.ts';
import { lockWorkflowId, stageWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import type { ExecutionId } from '../../shared/kernel/ids.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { commonLaboratory } from '../support/common-laboratory.ts';
import {
  activitiesOf,
  historiesOfRun,
  historyOf,
  localActivitiesOf,
  recordedHistories,
  replay,
} from '../support/histories.ts';
import { userNamed } from '../support/ids.ts';
import { eventually, type LabChip, type Laboratory, oneStage } from '../support/laboratory.ts';
import { quiet } from '../support/measured.ts';

/** Small, so that a stage of a few targets continues as new several times. */
const HISTORY_LIMIT = 120;
const IN_FLIGHT = 4;
/** What one task may add while the stage drains: two activities and their workflow tasks. */
const EVENTS_OF_A_TASK = 20;

let lab: Laboratory;
let bundle: { codePath: string };
/** A run on a backend that no worker serves: begun first, since what it waits for is told only after a while. */
let unserved: { place: LabChip; run: StartedRun };
beforeAll(async () => {
  lab = await commonLaboratory({ historyLimit: HISTORY_LIMIT });
  bundle = { codePath: await workflowBundle(lab.cache) };
  unserved = await startUnserved();
});

async function startUnserved() {
  const place = await lab.newProject();
  const code = `export async function flow(session) {
  const { answer } = await session.approval({ question: 'Begin?', options: ['yes', 'no'], deadline_seconds: 3600, default: 'no' });
  await session.run({ name: answer, tasks: ['CheckT1'], targets: session.targets.qubits(['0']) });
}
`;
  const run = await lab.startFlow(place, code, { backend: 'nobody' });
  await eventually(() => lab.areas.approvals.get(place.projectId, run.execution_id, 0));
  await lab.areas.approvals.answer(place.projectId, `${run.execution_id}-0`, 'ada', 'yes');
  return { place, run };
}

test('a stage continues as new, measures each task once and keeps its history small', async () => {
  const place = await lab.newProject();
  const run = await lab.startFlow(
    place,
    oneStage(['CheckT1', 'CheckT1', 'CheckT1'], undefined, `, parallel: ${IN_FLIGHT}`),
  );
  const execution = await lab.ended(place.projectId, run.execution_id);
  expect(execution.message).toBe('The flow ended. 48 of 48 tasks completed.');
  await lab.free(place.projectId);
  const histories = await historiesOfRun(lab, 'long', { ...place, ...run }, [0]);
  expect(histories.length).toBeGreaterThan(3);
  for (const { history } of histories)
    expect(history.events?.length ?? 0).toBeLessThan(HISTORY_LIMIT + IN_FLIGHT * EVENTS_OF_A_TASK);
  const starts = (await lab.journal(place.projectId, run.execution_id)).filter(
    (entry) => entry.event === 'start',
  );
  expect(starts).toHaveLength(48);
  expect(await replay(bundle, histories)).toEqual([]);
});

test('a flow of two stages, a sleep and a failure replays', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [
      { match: { project_id: place.projectId, task_name: 'CheckRabi', targets: ['1'] }, behaviour: 'error' },
    ],
  });
  const code = `export async function flow(session) {
  const rabi = await session.run({ name: 'rabi', tasks: ['CheckRabi', 'CheckT1'], targets: session.targets.qubits(['0', '1']) });
  await session.sleep(0.1);
  await session.run({ name: 't1', tasks: ['CheckT1'], targets: rabi.passed });
}
`;
  const run = await lab.startFlow(place, code);
  await lab.ended(place.projectId, run.execution_id);
  await lab.free(place.projectId);
  await lab.setFaults({ rules: [] });
  expect(await replay(bundle, await historiesOfRun(lab, 'stages', { ...place, ...run }, [0, 2]))).toEqual([]);
});

test('a run with a schedule, a question, a pause and a stop replays', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId }, behaviour: 'slow', seconds: 0.1 }],
  });
  const code = `export async function flow(session) {
  await session.approval({ question: 'Begin?', deadline_seconds: 1, default: 'yes' });
  await session.run({
    name: 'scheduled', tasks: ['CheckRabi', 'CheckT1'], targets: session.targets.qubits(['0', '1', '4', '5']),
    schedule: [[['0', '1'], ['4']], [['5']]],
  });
}
`;
  const run = await lab.startFlow(place, code);
  await lab.measuring(place.projectId, run.execution_id);
  const handle = lab.engine.client.workflow.getHandle(lockWorkflowId(place.projectId));
  await handle.signal('pause', { by: 'ada' });
  await eventually(
    async () => (await lab.areas.executions.store.get(place.projectId, run.execution_id))?.paused,
  );
  await handle.signal('resume');
  await eventually(async () => {
    const tasks = await lab.tasksOf(place.projectId, run.execution_id);
    return tasks.some(({ qid }) => qid === '1');
  });
  await handle.signal('stop_after_current', { by: 'ada' });
  await lab.ended(place.projectId, run.execution_id);
  await lab.free(place.projectId);
  await lab.setFaults({ rules: [] });
  expect(await replay(bundle, await historiesOfRun(lab, 'controlled', { ...place, ...run }, [1]))).toEqual(
    [],
  );
});

test('a cancelled run and a single task replay', async () => {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'stall' }] });
  const cancelled = await lab.startFlow(place, oneStage(['CheckT1'], ['0', '1']));
  await lab.measuring(place.projectId, cancelled.execution_id);
  await lab.runs.control.cancel(place.projectId, cancelled.flow_run_id);
  await lab.ended(place.projectId, cancelled.execution_id);
  await lab.free(place.projectId);
  await lab.setFaults({ rules: [] });
  const single = await lab.startTask(place, 'CheckT1', '0');
  await lab.ended(place.projectId, single.execution_id);
  await lab.free(place.projectId);
  const histories = [
    ...(await historiesOfRun(lab, 'cancelled', { ...place, ...cancelled }, [0])),
    ...(await historiesOfRun(lab, 'single', { ...place, ...single }, [0])),
  ];
  expect(await replay(bundle, histories)).toEqual([]);
});

test('a run whose tasks cover a multiplexer, or all qubits at once, replays', async () => {
  const place = await lab.newProject();
  const run = await lab.startFlow(
    place,
    oneStage(['CheckStatus', 'CheckResonatorSpectroscopy', 'CheckNoise', 'CheckT1'], ['0', '1', '4', '5']),
  );
  await lab.ended(place.projectId, run.execution_id);
  await lab.free(place.projectId);
  expect(await replay(bundle, await historiesOfRun(lab, 'shared', { ...place, ...run }, [0]))).toEqual([]);
});

test('a multiplexer is measured again for those that ask for it, on a foreign backend, and replays', async () => {
  const place = await lab.newProject({ blank: true });
  const defects = [{ defect: 'no_resonator' as const, qids: ['2'] }];
  const simulator = createSimulator({ seed: 'passes', faults: { rules: [], defects } });
  const asked: string[] = [];
  const run = await withInstantBackend(
    lab,
    async () => {
      const list = oneStage(['CheckResonatorSpectroscopy'], ['0', '1', '2', '3']);
      const started = await lab.startFlow(place, list, { backend: INSTANT_BACKEND });
      const ended = await lab.ended(place.projectId, started.execution_id);
      expect(ended.message).toContain('3 of 4 tasks completed, 1 failed');
      return started;
    },
    (request) => {
      asked.push(`${request.task_name} ${request.targets} ${request.pass ?? 1}`);
      return simulator.measure(request, quiet());
    },
  );
  await lab.free(place.projectId);
  // The line that is not seen may be too narrow for the sweep.
  expect(asked).toEqual(['CheckResonatorSpectroscopy 0,1,2,3 1', 'CheckResonatorSpectroscopy 2 2']);
  expect(await replay(bundle, await historiesOfRun(lab, 'passes', { ...place, ...run }, [0]))).toEqual([]);
});

test('a run of some targets asks the engine for hardly more than their measurements, and replays', async () => {
  const place = await lab.newProject();
  const qids = ['0', '1', '2', '3', '4', '5', '6', '7', '8'];
  const run = await withInstantBackend(lab, async () => {
    const code = oneStage(['CheckT1', 'CheckT1'], qids, ', parallel: 9');
    const started = await lab.startFlow(place, code, { backend: INSTANT_BACKEND });
    const ended = await lab.ended(place.projectId, started.execution_id);
    expect(ended.message).toBe('The flow ended. 18 of 18 tasks completed.');
    return started;
  });
  await lab.free(place.projectId);
  const rows = await lab.tasksOf(place.projectId, run.execution_id);
  expect(new Set(rows.map(({ qid, index }) => `${qid} ${index}`)).size).toBe(18);
  const histories = await historiesOfRun(lab, 'many-at-once', { ...place, ...run }, [0]);
  const asked = activitiesOf(histories);
  expect(asked.filter((name) => name === 'measure')).toHaveLength(18);
  // A busy machine may take longer than a moment for some of them.
  expect(asked.filter((name) => name.startsWith('record')).length).toBeLessThan(9 + 18);
  expect(await replay(bundle, histories)).toEqual([]);
});

test('a run begins, and its stages begin to measure, without asking the engine for that, and replay', async () => {
  const place = await lab.newProject();
  const code = `export async function flow(session) {
  for (const name of ['one', 'two', 'three'])
    await session.run({ name, tasks: ['CheckT1'], targets: session.targets.qubits(['0']) });
}
`;
  const run = await lab.startFlow(place, code);
  const execution = await lab.ended(place.projectId, run.execution_id);
  expect(execution.message).toBe('The flow ended. 3 of 3 tasks completed.');
  await lab.free(place.projectId);
  const histories = await historiesOfRun(lab, 'begun-at-once', { ...place, ...run }, [0, 1, 2]);
  const asked = activitiesOf(histories);
  expect(asked.filter((name) => name === 'measure')).toHaveLength(3);
  expect(asked).not.toContain('begin');
  // The store of a busy machine may take longer than that waits.
  expect(asked.filter((name) => name === 'openStage').length).toBeLessThan(3);
  expect(localActivitiesOf(histories)).toEqual(
    expect.arrayContaining(['beginLocally', 'advanceFlowLocally', 'openStage', 'recordLocally']),
  );
  expect(await replay(bundle, histories)).toEqual([]);
});

test('a run whose second tasks are lost, given up, reset, or lost twice and then reset, and its retry replay', async () => {
  const place = await lab.newProject();
  const match = { project_id: place.projectId, task_name: 'CheckT1' };
  await lab.setFaults({
    rules: [
      { match: { ...match, targets: ['0'], attempt: 1 }, behaviour: 'silent' },
      { match: { ...match, targets: ['1'] }, behaviour: 'silent' },
      { match: { ...match, targets: ['2'], attempt: 1 }, behaviour: 'stall' },
      { match: { ...match, targets: ['3'], attempt: 1 }, behaviour: 'silent' },
      { match: { ...match, targets: ['3'], attempt: 2 }, behaviour: 'silent' },
      { match: { ...match, targets: ['3'], attempt: 3 }, behaviour: 'stall' },
    ],
  });
  const run = await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1'], ['0', '1', '2', '3']));
  const resetOnceBegun = async (target: string, attempt: number) => {
    await eventually(async () =>
      (await lab.journal(place.projectId, run.execution_id)).some(
        (entry) =>
          entry.event === 'start' &&
          entry.task_name === 'CheckT1' &&
          entry.targets.includes(target) &&
          entry.attempt === attempt,
      ),
    );
    const stage = stageWorkflowId(place.projectId, run.execution_id, 0);
    const { raw } = await lab.engine.client.workflow.getHandle(stage).describe();
    // That of the task before it, where the machine was quick enough to go on.
    const pending = raw.pendingActivities?.find(({ activityId }) => activityId?.includes(` · ${target} · `));
    await lab.engine.connection.workflowService.resetActivity({
      namespace: lab.engine.namespace,
      execution: { workflowId: stage },
      id: pending?.activityId ?? '',
      identity: 'operator',
    });
  };
  await resetOnceBegun('2', 1);
  await resetOnceBegun('3', 3);
  const ended = await lab.ended(place.projectId, run.execution_id);
  expect(ended.message).toBe('The flow ended. 7 of 8 tasks completed, 1 failed.');
  const tasks = await lab.tasksOf(place.projectId, run.execution_id);
  const told = tasks.map(({ name, qid, status, attempt }) => `${name} ${qid} ${status} ${attempt}`);
  expect(told.toSorted()).toEqual([
    ...['0', '1', '2', '3'].map((qid) => `CheckRabi ${qid} completed 1`),
    'CheckT1 0 completed 2',
    'CheckT1 1 failed 3',
    'CheckT1 2 completed 2',
    'CheckT1 3 completed 4',
  ]);
  const { length } = (await lab.journal(place.projectId, run.execution_id)).filter(
    (entry) => entry.event === 'start' && entry.task_name === 'CheckRabi',
  );
  expect(length).toBe(4);
  await lab.free(place.projectId);
  await lab.setFaults({ rules: [] });
  const order = {
    projectId: place.projectId,
    user: { _id: userNamed('usr_ada'), username: 'ada' },
    idempotencyKey: undefined,
  };
  const retry = await lab.runs.retry(order, run.execution_id, { code: 'original' });
  await lab.ended(place.projectId, retry.execution_id);
  await lab.free(place.projectId);
  const histories = [
    ...(await historiesOfRun(lab, 'going-on', { ...place, ...run }, [0])),
    ...(await historiesOfRun(lab, 'going-on-retry', { ...place, ...retry }, [0])),
  ];
  expect(await replay(bundle, histories)).toEqual([]);
});

test('a run that its backend kept waiting until it was paused, resumed and stopped by updates replays', async () => {
  const { place, run } = unserved;
  const store = lab.areas.executions.store;
  await eventually(async () =>
    (await store.get(place.projectId, run.execution_id))?.waiting?.for.startsWith('a worker for'),
  );
  await lab.runs.control.pause(place.projectId, run.execution_id, 'ada');
  await lab.runs.control.resume(place.projectId, run.execution_id, 'ada');
  await lab.runs.control.stop(place.projectId, run.execution_id, 'ada');
  await lab.runs.control.cancel(place.projectId, run.flow_run_id);
  await lab.ended(place.projectId, run.execution_id);
  await lab.free(place.projectId);
  const histories = await historiesOfRun(lab, 'waiting', { ...place, ...run }, [1]);
  const fired = histories
    .flatMap(({ history }) => history.events ?? [])
    .filter((each) => each.timerFiredEventAttributes);
  expect(fired.length).toBeGreaterThan(0);
  expect(await replay(bundle, histories)).toEqual([]);
});

test('what carries out a schedule, and what deletes a project, replay', async () => {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [] });
  const first = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await lab.ended(place.projectId, first.execution_id);
  await lab.free(place.projectId);
  const { schedule_id } = await lab.schedule(place, { cron: '0 0 1 1 *' });
  await lab.engine.client.schedule.getHandle(schedule_id).trigger();
  const scheduled = await eventually(async () => {
    const { info } = await lab.engine.client.schedule.getHandle(schedule_id).describe();
    return info.recentActions[0]?.action.workflow.workflowId;
  });
  await lab.engine.client.workflow.getHandle(scheduled).result();
  const executions = lab.database.db.collection<{ execution_id: ExecutionId }>('executions');
  const others = { project_id: place.projectId, execution_id: { $ne: first.execution_id } };
  // It may be over before the engine tells that it was started.
  const second = await eventually(() => executions.findOne(others));
  await lab.ended(place.projectId, second.execution_id);
  await lab.free(place.projectId);
  const deletion = createProjectDeletion({
    db: lab.database.db,
    engine: lab.engine,
    lastingHolder: lab.runs.lastingHolder,
    hide: lab.areas.projects.hide,
    settle: 1,
  });
  await deletion.delete(place.projectId, userNamed('ada'));
  await lab.engine.client.workflow.getHandle(lockWorkflowId(place.projectId)).result();
  const histories = [
    ...(await historyOf(lab, 'scheduled-start', scheduled)),
    ...(await historyOf(lab, 'project-deletion', lockWorkflowId(place.projectId))),
  ];
  expect(await replay(bundle, histories)).toEqual([]);
});

test('the recorded histories of every release replay with the code of today', async () => {
  expect(await replay(bundle, await recordedHistories())).toEqual([]);
});
