import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { payloadConverterPath } from '../../shared/kernel/engine/temporal.ts';
import { lockWorkflowId, stageWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { eventually, type Laboratory, oneStage, openLaboratory } from '../support/laboratory.ts';

const directory = fileURLToPath(new URL('../histories', import.meta.url));
/**
 * `RECORD_HISTORIES=<release> npm test -- test/workflows/replay.test.ts` keeps histories under that release. Those that
 * are there already stay as they are: open runs of a release do not change with our code either.
 */
const recordedRelease = process.env['RECORD_HISTORIES'];

/** Small, so that a stage of a few targets continues as new several times. */
const HISTORY_LIMIT = 120;
const IN_FLIGHT = 4;
/** What one task may add while the stage drains: two activities and their workflow tasks. */
const EVENTS_OF_A_TASK = 20;

let lab: Laboratory;
let bundlePath: string;
beforeAll(async () => {
  lab = await openLaboratory({}, { historyLimit: HISTORY_LIMIT });
  await lab.startWorker();
  bundlePath = await workflowBundle(lab.cache);
});
afterAll(() => lab.close());

type History = ReturnType<typeof historyFromJSON>;

async function replay(histories: { workflowId: string; history: History }[]): Promise<string[]> {
  const failures: string[] = [];
  const results = Worker.runReplayHistories(
    { workflowBundle: { codePath: bundlePath }, dataConverter: { payloadConverterPath } },
    histories,
  );
  for await (const result of results)
    if (result.error) failures.push(`${result.workflowId}: ${result.error.message}`);
  return failures;
}

/** Histories of a run and of every run in the chain of each of its stages. */
async function historiesOf(
  name: string,
  projectId: string,
  executionId: string,
  flowRunId: string,
  stages: number[],
) {
  const run = await lab.engine.client.workflow.getHandle(lockWorkflowId(projectId), flowRunId).fetchHistory();
  const found = [{ workflowId: `${name}-run`, history: run }];
  for (const stage of stages) {
    const workflowId = stageWorkflowId(projectId, executionId, stage);
    let runId: string | undefined = (await lab.engine.client.workflow.getHandle(workflowId).describe()).runId;
    for (let link = 0; runId; link += 1) {
      const history: History = await lab.engine.client.workflow.getHandle(workflowId, runId).fetchHistory();
      found.push({ workflowId: `${name}-stage-${stage}-${link}`, history });
      runId =
        history.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
    }
  }
  if (recordedRelease) {
    const folder = join(directory, recordedRelease);
    await mkdir(folder, { recursive: true });
    // The links of a long chain are alike: two of them are enough to keep.
    for (const { workflowId, history } of found.slice(0, 3)) {
      await writeFile(join(folder, `${workflowId}.json`), historyToJSON(history), { flag: 'wx' });
    }
  }
  return found;
}

test('a stage continues as new, measures each task once and keeps its history small', async () => {
  const place = await lab.newProject();
  const run = await lab.startFlow(
    place,
    oneStage(['CheckRabi', 'CheckT1', 'CheckT1'], undefined, `, parallel: ${IN_FLIGHT}`),
  );
  const execution = await lab.ended(place.projectId, run.execution_id);
  expect(execution.message).toBe('The flow ended. 48 of 48 tasks completed.');
  await lab.free(place.projectId);
  const histories = await historiesOf('long', place.projectId, run.execution_id, run.flow_run_id, [0]);
  expect(histories.length).toBeGreaterThan(3);
  for (const { history } of histories)
    expect(history.events?.length ?? 0).toBeLessThan(HISTORY_LIMIT + IN_FLIGHT * EVENTS_OF_A_TASK);
  const starts = (await lab.journal(place.projectId, run.execution_id)).filter(
    (entry) => entry.event === 'start',
  );
  expect(starts).toHaveLength(48);
  expect(await replay(histories)).toEqual([]);
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
  expect(
    await replay(await historiesOf('stages', place.projectId, run.execution_id, run.flow_run_id, [0, 2])),
  ).toEqual([]);
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
  expect(
    await replay(await historiesOf('controlled', place.projectId, run.execution_id, run.flow_run_id, [1])),
  ).toEqual([]);
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
    ...(await historiesOf('cancelled', place.projectId, cancelled.execution_id, cancelled.flow_run_id, [0])),
    ...(await historiesOf('single', place.projectId, single.execution_id, single.flow_run_id, [0])),
  ];
  expect(await replay(histories)).toEqual([]);
});

test('a measurement that lost its worker twice and was reset by hand replays', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [
      ...[1, 2].map((attempt) => ({
        match: { project_id: place.projectId, attempt },
        behaviour: 'silent' as const,
      })),
      { match: { project_id: place.projectId, attempt: 3 }, behaviour: 'stall' },
    ],
  });
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await lab.measuring(place.projectId, run.execution_id, 3);
  await lab.engine.connection.workflowService.resetActivity({
    namespace: lab.engine.namespace,
    execution: { workflowId: stageWorkflowId(place.projectId, run.execution_id, 0) },
    id: 'CheckT1 · 0 · 3',
    identity: 'operator',
  });
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  await lab.free(place.projectId);
  await lab.setFaults({ rules: [] });
  const [task] = await lab.tasksOf(place.projectId, run.execution_id);
  expect(task).toMatchObject({ status: 'completed', attempt: 4 });
  expect(
    await replay(await historiesOf('repeated', place.projectId, run.execution_id, run.flow_run_id, [0])),
  ).toEqual([]);
});

test('the recorded histories of every release replay with the code of today', async () => {
  const names = (await readdir(directory, { recursive: true })).filter((name) => name.endsWith('.json'));
  expect(names.filter((name) => name.startsWith('0.1.0')).length).toBeGreaterThanOrEqual(13);
  const histories = await Promise.all(
    names.map(async (name) => ({
      workflowId: name,
      history: historyFromJSON(JSON.parse(await readFile(join(directory, name), 'utf8'))),
    })),
  );
  expect(await replay(histories)).toEqual([]);
});
