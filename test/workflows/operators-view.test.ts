import { beforeAll, expect, test } from 'vitest';
import type { StartedRun } from '../../shared/domain/runs/model.ts';
import {
  CALIBRATION_QUEUE,
  lockWorkflowId,
  stageWorkflowId,
} from '../../shared/kernel/engine/workflow-ids.ts';
import type { ExecutionId } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { commonLaboratory } from '../support/common-laboratory.ts';
import { eventually, type LabChip, type Laboratory, oneStage } from '../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  // Small, so that a stage of a few targets continues as new.
  lab = await commonLaboratory({ historyLimit: 60 });
});

/** Text that the engine's UI shows of a workflow run as its current details. */
async function detailsOf(workflowId: string, runId?: string): Promise<string> {
  const { currentDetails } = await lab.engine.client.workflow
    .getHandle(workflowId, runId)
    .query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  // Without the empty paragraph that the UI cuts off.
  return (currentDetails ?? '').trimEnd();
}

const stageOf = ({ projectId }: LabChip, run: StartedRun) => stageWorkflowId(projectId, run.execution_id, 0);

/** Workflow types that the engine lists for a query; its list is a moment behind. */
async function listed(query: string): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of lab.engine.client.workflow.list({ query })) types.push(type);
  return types.sort();
}

async function pendingActivityIds(workflowId: string): Promise<string[]> {
  const { pendingActivities } = await lab.engine.connection.workflowService.describeWorkflowExecution({
    namespace: lab.engine.namespace,
    execution: { workflowId },
  });
  return (pendingActivities ?? []).map(({ activityId }) => activityId ?? '').sort();
}

test('the engine lists a run, its stages and what started it by project, chip and execution', async () => {
  const place = await lab.newProject({ chipId: 'LISTED' });
  await lab.setFaults({ rules: [] });
  const first = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await lab.ended(place.projectId, first.execution_id);
  await lab.free(place.projectId);
  const { schedule_id } = await lab.schedule(place, { cron: '0 0 1 1 *' });
  await lab.engine.client.schedule.getHandle(schedule_id).trigger();
  const second = await eventually(() =>
    lab.database.db
      .collection<{ execution_id: ExecutionId }>('executions')
      .findOne({ project_id: place.projectId, execution_id: { $ne: first.execution_id } }),
  );
  await lab.ended(place.projectId, second.execution_id);
  const run = ['calibrationRun', 'stage'];
  const started = [...run, 'scheduledStart'].sort();
  await expect.poll(() => listed(`ProjectId = '${place.projectId}'`)).toEqual([...run, ...started].sort());
  expect(await listed("ChipId = 'LISTED'")).toEqual([...run, ...started].sort());
  const ofExecution = (id: string) => `ProjectId = '${place.projectId}' AND ExecutionId = '${id}'`;
  expect(await listed(ofExecution(first.execution_id))).toEqual(run);
  expect(await listed(ofExecution(second.execution_id))).toEqual(started);
  expect(await listed(`ProjectId = '${place.projectId}' AND \`Trigger\` = 'schedule'`)).toEqual(started);
});

test('a pending activity says task, target and attempt', async () => {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'stall' }] });
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['3', '7'], ', parallel: 2'));
  await lab.measuring(place.projectId, run.execution_id, 2);
  expect(await pendingActivityIds(stageOf(place, run))).toEqual(['CheckT1 · 3 · 1', 'CheckT1 · 7 · 1']);
  await lab.engine.connection.workflowService.resetActivity({
    namespace: lab.engine.namespace,
    execution: { workflowId: stageOf(place, run) },
    id: 'CheckT1 · 7 · 1',
    identity: 'operator',
  });
  await expect
    .poll(() => pendingActivityIds(stageOf(place, run)))
    .toEqual(['CheckT1 · 3 · 1', 'CheckT1 · 7 · 2']);
  await lab.setFaults({ rules: [] });
  await lab.runs.control.cancel(place.projectId, run.flow_run_id);
  await lab.ended(place.projectId, run.execution_id);
});

test('a stage that continues as new keeps its summary and its attributes', async () => {
  const place = await lab.newProject({ chipId: 'LONG' });
  await lab.setFaults({ rules: [] });
  const run = await lab.startFlow(place, oneStage(['CheckT1', 'CheckT1'], undefined, ', parallel: 2'));
  await lab.ended(place.projectId, run.execution_id);
  await lab.free(place.projectId);
  const stage = lab.engine.client.workflow.getHandle(stageOf(place, run));
  const last = await stage.describe();
  expect(last.raw.workflowExecutionInfo?.firstRunId).not.toBe(last.runId);
  const summary = `check · nightly · LONG · ${run.execution_id}`;
  expect(last.memo).toMatchObject({ summary });
  expect(await detailsOf(last.workflowId)).toBe(`${summary}  \n32 of 32 tasks completed.`);
  const first = await lab.engine.client.workflow
    .getHandle(last.workflowId, last.raw.workflowExecutionInfo?.firstRunId ?? '')
    .describe();
  expect(await first.staticSummary?.()).toBe(summary);
  await expect
    .poll(() => listed(`WorkflowId = '${last.workflowId}' AND ChipId = 'LONG'`))
    .toHaveLength((await listed(`WorkflowId = '${last.workflowId}'`)).length);
});

test("a run's details show the stage that is running, and of one that failed its commonest cause", async () => {
  const place = await lab.newProject();
  const match = { project_id: place.projectId };
  await lab.setFaults({
    rules: [
      { match: { ...match, targets: ['2'] }, behaviour: 'stall' },
      { match: { ...match, targets: ['3'] }, behaviour: 'stall' },
      { match, behaviour: 'error' },
    ],
  });
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0', '1', '2', '3', '4'], ', parallel: 5'));
  await lab.measuring(place.projectId, run.execution_id, 5);
  const lock = lockWorkflowId(place.projectId);
  expect(await detailsOf(lock)).toBe(
    [
      'It continues automatically.',
      'Running stage 0 check: 1 tasks on 5 targets.',
      'Before: 0 of 0 tasks completed.',
      `Its progress: workflow ${stageOf(place, run)}.`,
    ].join('  \n'),
  );
  await lab.setFaults({ rules: [{ match, behaviour: 'error' }] });
  for (const target of ['2', '3']) {
    await lab.engine.connection.workflowService.resetActivity({
      namespace: lab.engine.namespace,
      execution: { workflowId: stageOf(place, run) },
      id: `CheckT1 · ${target} · 1`,
      identity: 'operator',
    });
  }
  const ended = await lab.ended(place.projectId, run.execution_id);
  expect(ended.status).toBe('failed');
  expect(ended.message).toContain('No target passed any stage. Most often, 5 times: CheckT1: ');
  await lab.free(place.projectId);
  expect(await detailsOf(lock)).toContain(
    'failed. No target passed any stage. Most often, 5 times: CheckT1:',
  );
  expect(await detailsOf(stageOf(place, run))).toContain('Most often, 5 times: CheckT1: ');
});

test('the watch of a backend is a periodic timer with a name, whatever a stage measures', async () => {
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckT1', 'CheckT1'], ['0', '1']));
  await lab.ended(place.projectId, run.execution_id);
  const { events } = await lab.engine.client.workflow.getHandle(stageOf(place, run)).fetchHistory();
  const timers = (events ?? []).filter(({ timerStartedEventAttributes: timer }) => timer);
  const measured = (events ?? []).filter(
    ({ activityTaskScheduledEventAttributes: activity }) => activity?.activityType?.name === 'measure',
  );
  expect(measured).toHaveLength(4);
  expect(timers.length).toBeLessThan(measured.length);
  for (const { userMetadata } of timers) {
    const summary = Buffer.from(userMetadata?.summary?.data ?? []).toString();
    expect(summary).toBe('"look after backend simulator"');
  }
});

test('the first two lines of a run say what its stage waits for and which stage it is', async () => {
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']), { backend: 'nobody' });
  const lock = lockWorkflowId(place.projectId);
  const firstLines = async () => (await detailsOf(lock).catch(() => '')).split('  \n').slice(0, 2);
  await expect
    .poll(firstLines, { timeout: 90_000 })
    .toEqual([
      expect.stringMatching(
        /^Waiting for: a worker for backend nobody \(none is connected: .*\), since \d{4}-\d\d-\d\d \d\d:\d\d UTC$/,
      ),
      'Running stage 0 check: 1 tasks on 1 targets.',
    ]);
  await lab.runs.control.cancel(place.projectId, run.flow_run_id);
  await lab.ended(place.projectId, run.execution_id);
});

test('a question of any length leaves room for the other lines of the details', async () => {
  const place = await lab.newProject();
  const question = 'Warm? '.repeat(150).trim();
  const code = `export async function flow(session) {
  await session.approval({ question: '${question}', deadline_seconds: 3600, default: 'no' });
}
`;
  const run = await lab.startFlow(place, code);
  await eventually(async () => lab.areas.approvals.get(place.projectId, run.execution_id, 0));
  const lines = (await detailsOf(lockWorkflowId(place.projectId))).split('  \n');
  expect(lines[0]).toMatch(/^Waiting for: an answer to .*…$/);
  expect(Math.max(...lines.map(({ length }) => length))).toBe(240);
  expect(lines).toContain('Before: 0 of 0 tasks completed.');
  await lab.runs.control.cancel(place.projectId, run.flow_run_id);
  await lab.ended(place.projectId, run.execution_id);
});

test.each(['calibrationRun', 'singleTaskRun'])(
  'a %s that is started by hand with an input that no run has ends at once and leaves the project free',
  async (type) => {
    const place = await lab.newProject();
    const lock = lockWorkflowId(place.projectId);
    const started = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
    await lab.ended(place.projectId, started.execution_id);
    await lab.free(place.projectId);
    const run = {
      ...{
        project_id: place.projectId,
        execution_id: started.execution_id,
        chip_id: place.chipId,
        name: 'nightly',
      },
      ...{ user_id: 'u', username: 'ada', backend: 'simulator', trigger: 'api', tags: [] },
    };
    const policy = { heartbeat_timeout: 10, parallel: 1, history_limit: 1000 };
    const start = async (input: unknown, workflowId = lock) => {
      const handle = await lab.engine.client.workflow.start(type, {
        taskQueue: CALIBRATION_QUEUE,
        workflowId,
        args: input === undefined ? [] : [input],
      });
      return handle.result().then(
        () => 'completed',
        (thrown: unknown) => (thrown instanceof Error ? String(thrown.cause) : ''),
      );
    };
    for (const input of [
      undefined,
      null,
      'text',
      {},
      { run: {}, policy },
      { run: { ...run, tags: 1 }, policy },
      { run },
    ]) {
      expect(await start(input)).toContain('Runs are not started by hand');
    }
    expect(await start({ run, policy }, `another-${newId()}`)).not.toBe('completed');
    // The input of an earlier run, as the UI offers it.
    expect(await start({ run, policy })).not.toBe('completed');
    expect(await lab.runs.holder(place.projectId)).toBeNull();
    const before = await lab.areas.executions.store.get(place.projectId, started.execution_id);
    expect(before?.status).toBe('completed');
  },
);
