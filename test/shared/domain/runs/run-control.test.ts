import { beforeAll, describe, expect, test } from 'vitest';
import {
  flowRunState,
  isEndStatus,
  waitingReason,
} from '../../../../shared/domain/executions/status-rules.ts';
import { createRunControl } from '../../../../shared/domain/runs/control.ts';
import type { StartedRun } from '../../../../shared/domain/runs/model.ts';
import type { RunProgress } from '../../../../shared/domain/runs/progress-rules.ts';
import type { RunControl } from '../../../../shared/domain/runs/run-model.ts';
import { lockWorkflowId, stageWorkflowId } from '../../../../shared/kernel/engine/workflow-ids.ts';
import type { ExecutionId } from '../../../../shared/kernel/ids.ts';
import { type CommonLaboratory, commonLaboratory } from '../../../support/common-laboratory.ts';
import { eventually, type LabChip, oneStage } from '../../../support/laboratory.ts';
import { repetitions } from '../../../support/repetitions.ts';

/** What the engine's UI asks a workflow about itself. */
interface WorkflowMetadata {
  currentDetails?: string;
  definition?: Record<'signalDefinitions' | 'updateDefinitions', { name: string; description: string }[]>;
}

let lab: CommonLaboratory;
let controls: CommonLaboratory['runs']['control'];
beforeAll(async () => {
  // Small, so that stages continue as new while they are told to pause.
  lab = await commonLaboratory({ historyLimit: 60 });
  controls = lab.runs.control;
});

const slow = (place: LabChip, seconds: number) =>
  lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'slow', seconds }] });

const starts = async ({ projectId }: LabChip, executionId: ExecutionId) =>
  (await lab.journal(projectId, executionId)).filter(({ event }) => event === 'start').length;

const execution = async ({ projectId }: LabChip, executionId: ExecutionId) => {
  const found = await lab.areas.executions.store.get(projectId, executionId);
  if (!found) throw new Error('the execution is gone');
  return found;
};

/** What a workflow answers operators. */
const progressOf = (workflowId: string) =>
  lab.engine.client.workflow.getHandle(workflowId).query<RunProgress>('progress');

/** Waits until nothing of the execution is being measured. */
const quiet = ({ projectId }: LabChip, executionId: ExecutionId) =>
  eventually(async () => {
    const journal = await lab.journal(projectId, executionId);
    const ends = journal.filter(({ event }) => event !== 'start').length;
    const rows = await lab.tasksOf(projectId, executionId);
    return ends === journal.length - ends && rows.every(({ status }) => status !== 'running');
  });

test('pauses and resumes while a stage continues as new lose nothing and measure nothing twice', async () => {
  const place = await lab.newProject();
  const qids = Array.from({ length: repetitions({ quick: 8, soak: 16 }) }, (_, qid) => String(qid));
  const tasks = 3 * qids.length;
  await slow(place, 0.02);
  const run = await lab.startFlow(place, oneStage(['CheckT1', 'CheckT1', 'CheckT1'], qids, ', parallel: 2'));
  await lab.measuring(place.projectId, run.execution_id);
  const open = async () => (await execution(place, run.execution_id)).status === 'running';
  for (let turn = 0; turn < 12 && (await open()); turn += 1) {
    // Either is refused once the run has ended, which a pause that comes late does not prevent.
    try {
      await controls.pause(place.projectId, run.execution_id, 'ada');
      await controls.resume(place.projectId, run.execution_id, 'ada');
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: 'not_running' });
      break;
    }
  }
  expect((await lab.ended(place.projectId, run.execution_id)).message).toContain(
    `${tasks} of ${tasks} tasks completed`,
  );
  expect(await starts(place, run.execution_id)).toBe(tasks);
});

test('a stop ends the run after the measurements in flight and skips the rest with the reason', async () => {
  const place = await lab.newProject();
  await slow(place, 0.4);
  const code = `export async function flow(session) {
  await session.run({ name: 'first', tasks: ['CheckRabi', 'CheckT1'], targets: session.targets.qubits(['0', '1', '2']), parallel: 2 });
  await session.run({ name: 'second', tasks: ['CheckT1'], targets: session.targets.qubits(['0']) });
}
`;
  const run = await lab.startFlow(place, code);
  await lab.measuring(place.projectId, run.execution_id);
  expect(await controls.stop(place.projectId, run.execution_id, 'ada')).toMatchObject({ status: 'stopping' });
  const ended = await lab.ended(place.projectId, run.execution_id);
  expect(ended.status).toBe('completed');
  expect(ended.message).toMatch(/^ada stopped the run\. [12] of 6 tasks completed, [45] skipped\.$/);
  await lab.free(place.projectId);
  const tasks = await lab.tasksOf(place.projectId, run.execution_id);
  expect(tasks).toHaveLength(6);
  const skipped = tasks.filter(({ status }) => status === 'skipped');
  expect(new Set(skipped.map(({ message }) => message))).toEqual(
    new Set(['Skipped, because ada stopped the run.']),
  );
  const journal = await lab.journal(place.projectId, run.execution_id);
  expect(journal.filter(({ event }) => event === 'abort')).toEqual([]);
  expect(skipped.length + journal.filter(({ event }) => event === 'end').length).toBe(6);
  expect(await lab.areas.executions.commands.get(place.projectId, run.execution_id, 1)).toBeNull();
});

test('a paused run can be cancelled', async () => {
  const place = await lab.newProject();
  await slow(place, 0.2);
  const run = await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1'], ['0']));
  await lab.measuring(place.projectId, run.execution_id);
  await controls.pause(place.projectId, run.execution_id, 'ada');
  await quiet(place, run.execution_id);
  await lab.runs.control.cancel(place.projectId, run.flow_run_id);
  const ended = await lab.ended(place.projectId, run.execution_id);
  expect([ended.status, flowRunState(ended), ended.paused]).toEqual(['cancelled', 'CANCELLED', null]);
});

test('a stop ends the sleep of a flow at once', async () => {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [] });
  const code = `export async function flow(session) {
  await session.run({ name: 'first', tasks: ['CheckT1'], targets: session.targets.qubits(['0']) });
  await session.sleep(3600);
}
`;
  const run = await lab.startFlow(place, code);
  const waiting = await eventually(async () => (await execution(place, run.execution_id)).waiting);
  expect(waiting.for).toMatch(/^the flow's sleep until \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
  await controls.stop(place.projectId, run.execution_id, 'ada');
  const ended = await lab.ended(place.projectId, run.execution_id);
  expect(ended.message).toBe('ada stopped the run. 1 of 1 tasks completed.');
});

describe('while no worker is there', () => {
  /** Starts a run in a project of its own and tells it something, which it hears only when a worker comes. */
  const told = async (
    start: (place: LabChip) => Promise<StartedRun>,
    tell: (place: LabChip, run: StartedRun) => Promise<unknown>,
  ) => {
    const place = await lab.newProject();
    const run = await start(place);
    expect(waitingReason(await execution(place, run.execution_id))).toMatch(
      /^the service to start the run, since/,
    );
    await tell(place, run);
    return { place, run };
  };
  const pause = ({ projectId }: LabChip, run: StartedRun) =>
    controls.pause(projectId, run.execution_id, 'ada');
  const stop = ({ projectId }: LabChip, run: StartedRun) => controls.stop(projectId, run.execution_id, 'ada');
  const task = (place: LabChip) => lab.startTask(place, 'CheckT1', '0');

  /** Pauses a run of six measurements, of which two are made at the same time, and waits for those in flight. */
  async function pausedInTheMiddle() {
    const place = await lab.newProject();
    await slow(place, 0.3);
    const run = await lab.startFlow(
      place,
      oneStage(['CheckRabi', 'CheckT1'], ['0', '1', '2'], ', parallel: 2'),
    );
    await lab.measuring(place.projectId, run.execution_id);
    expect(await controls.pause(place.projectId, run.execution_id, 'ada')).toEqual({
      execution_id: run.execution_id,
      status: 'paused',
    });
    await quiet(place, run.execution_id);
    const measured = await starts(place, run.execution_id);
    expect(measured).toBeLessThan(6);
    const paused = await execution(place, run.execution_id);
    expect(flowRunState(paused)).toBe('PAUSED');
    expect(waitingReason(paused)).toMatch(
      /^resume, since ada paused the run at \d{4}-\d\d-\d\d \d\d:\d\d UTC$/,
    );
    const stage = stageWorkflowId(place.projectId, run.execution_id, 0);
    for (const id of [lockWorkflowId(place.projectId), stage]) {
      expect((await progressOf(id)).waiting_for).toMatch(
        /^resume, since ada paused the run at \d{4}-\d\d-\d\d \d\d:\d\d UTC$/,
      );
    }
    return { place, run, measured };
  }

  let pausedFlow: Awaited<ReturnType<typeof told>>;
  let pausedTask: typeof pausedFlow;
  let stoppedTask: typeof pausedFlow;
  /** A run that was paused while the worker was there, and how many of its measurements had begun by then. */
  let pausedBefore: typeof pausedFlow & { measured: number };
  beforeAll(async () => {
    pausedBefore = await pausedInTheMiddle();
    await lab.worker.kill();
    pausedFlow = await told((place) => lab.startFlow(place, oneStage(['CheckRabi'], ['0', '1'])), pause);
    pausedTask = await told(task, pause);
    stoppedTask = await told(task, stop);
    await lab.worker.start();
  });

  test('a paused run begins no measurement, keeps those in flight, survives its worker and goes on', async () => {
    const { place, run, measured } = pausedBefore;
    await expect(controls.pause(place.projectId, run.execution_id, 'bob')).rejects.toMatchObject({
      code: 'already_paused',
      status: 409,
    });
    expect(await starts(place, run.execution_id)).toBe(measured);
    expect((await controls.resume(place.projectId, run.execution_id, 'ada')).status).toBe('running');
    const ended = await lab.ended(place.projectId, run.execution_id);
    expect([ended.status, flowRunState(ended), waitingReason(ended)]).toEqual([
      'completed',
      'COMPLETED',
      null,
    ]);
    expect(await starts(place, run.execution_id)).toBe(6);
  });

  test('a run that is paused and then stopped before anything was measured is cancelled', async () => {
    const { place, run } = pausedFlow;
    await eventually(async () => (await execution(place, run.execution_id)).status === 'running');
    await controls.stop(place.projectId, run.execution_id, 'ada');
    const ended = await lab.ended(place.projectId, run.execution_id);
    expect([ended.status, ended.message]).toEqual([
      'cancelled',
      'ada stopped the run before a task was completed. 0 of 2 tasks completed, 2 skipped.',
    ]);
    expect(await starts(place, run.execution_id)).toBe(0);
  });

  test('a single task that is paused waits', async () => {
    const { place, run } = pausedTask;
    const progress = () => progressOf(lockWorkflowId(place.projectId));
    await eventually(async () => (await progress().catch(() => null))?.stage === 'CheckT1');
    expect((await progress()).waiting_for).toMatch(/^resume, since ada/);
    expect(await starts(place, run.execution_id)).toBe(0);
    await controls.resume(place.projectId, run.execution_id, 'ada');
    expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  });

  test('a single task that is stopped is not measured', async () => {
    const { place, run } = stoppedTask;
    expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('cancelled');
    expect((await lab.tasksOf(place.projectId, run.execution_id)).map(({ status }) => status)).toEqual([
      'skipped',
    ]);
    expect(await starts(place, run.execution_id)).toBe(0);
  });
});

test('a pause that a slow worker carries out after its caller gave up is a pause all the same', async () => {
  const place = await lab.newProject();
  await slow(place, 0.2);
  const run = await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1'], ['0']));
  await lab.measuring(place.projectId, run.execution_id);
  const { store } = lab.areas.executions;
  const { engine, runs } = lab;
  const pauseOf = (by: string) =>
    createRunControl({
      engine,
      reconciler: runs.reconciler,
      current: runs.current,
      executions: {
        ...store,
        /** Comes just after the worker has done what was asked of it. */
        async changePause(...given) {
          process.kill(lab.worker.pid, 'SIGCONT');
          await eventually(async () => (await execution(place, run.execution_id)).paused);
          return store.changePause(...given);
        },
      },
    }).pause(place.projectId, run.execution_id, by);
  process.kill(lab.worker.pid, 'SIGSTOP');
  expect(await pauseOf('ada')).toEqual({ execution_id: run.execution_id, status: 'paused' });
  expect((await execution(place, run.execution_id)).paused?.by).toBe('ada');
  await expect(pauseOf('ada')).rejects.toMatchObject({ code: 'already_paused' });
  await controls.stop(place.projectId, run.execution_id, 'ada');
  expect(isEndStatus((await lab.ended(place.projectId, run.execution_id)).status)).toBe(true);
});

test('an ended run can be neither paused, resumed nor stopped', async () => {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [] });
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await lab.ended(place.projectId, run.execution_id);
  for (const action of ['pause', 'resume', 'stop'] as const) {
    await expect(controls[action](place.projectId, run.execution_id, 'ada')).rejects.toMatchObject({
      code: 'not_running',
      status: 409,
    });
  }
});

test('an update sent from the engine is checked, and answered once the execution shows what is asked', async () => {
  const place = await lab.newProject();
  await slow(place, 0.2);
  const run = await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1'], ['0']));
  await lab.measuring(place.projectId, run.execution_id);
  const handle = lab.engine.client.workflow.getHandle(lockWorkflowId(place.projectId));
  const update = (name: string) =>
    handle.executeUpdate<RunControl, [unknown]>(name, { args: [{ by: 'grace' }] });
  await expect(update('resume')).rejects.toMatchObject({ cause: { type: 'NotPaused' } });
  const { paused } = await update('pause');
  expect(paused?.by).toBe('grace');
  expect((await execution(place, run.execution_id)).paused).toEqual(paused);
  await expect(update('pause')).rejects.toMatchObject({ cause: { type: 'AlreadyPaused' } });
  expect(await update('resume')).toMatchObject({ paused: null });
  expect((await execution(place, run.execution_id)).paused).toBeNull();
  await lab.ended(place.projectId, run.execution_id);
});

test('the engine shows what each message to a run expects, and how a wait ends', async () => {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [] });
  const code = `export async function flow(session) {
  await session.approval({ question: 'Warm?', options: ['yes', 'no'], deadline_seconds: 3600, default: 'no' });
}
`;
  const run = await lab.startFlow(place, code);
  await eventually(async () => lab.areas.approvals.get(place.projectId, run.execution_id, 0));
  const metadata = async () =>
    lab.engine.client.workflow
      .getHandle(lockWorkflowId(place.projectId))
      .query<WorkflowMetadata>('__temporal_workflow_metadata');
  const { definition, currentDetails } = await metadata();
  const documented = [...(definition?.signalDefinitions ?? []), ...(definition?.updateDefinitions ?? [])];
  const names = documented.map(({ name }) => name);
  expect(names.sort()).toEqual([
    'approval',
    'approval',
    'pause',
    'pause',
    'resume',
    'resume',
    'stage_waits',
    'stop_after_current',
    'stop_after_current',
  ]);
  for (const { description } of documented) expect(description).toMatch(/Input: /);
  expect(currentDetails).toContain(
    'To continue, send the signal or update approval with `{"answer":"yes","by":"your name"}`; answers are yes, no.',
  );
  await controls.pause(place.projectId, run.execution_id, 'ada');
  expect((await metadata()).currentDetails).toContain('To continue, send the signal or update resume.');
  await controls.stop(place.projectId, run.execution_id, 'ada');
  await lab.ended(place.projectId, run.execution_id);
});

test('signals sent from the engine count as well, and show in the execution', async () => {
  const place = await lab.newProject();
  await slow(place, 0.2);
  const run = await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1'], ['0']));
  await lab.measuring(place.projectId, run.execution_id);
  const handle = lab.engine.client.workflow.getHandle(lockWorkflowId(place.projectId));
  await handle.signal('pause');
  const paused = await eventually(async () => (await execution(place, run.execution_id)).paused);
  expect(paused.by).toBe('an operator');
  await handle.signal('resume');
  const ended = await lab.ended(place.projectId, run.execution_id);
  expect([ended.status, ended.paused]).toEqual(['completed', null]);
});
