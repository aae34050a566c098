import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExecutionDocument } from '../../shared/domain/executions/model.ts';
import type { AnalysisRequest } from '../../shared/domain/reanalysis/workflow-model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { backendQueue } from '../../shared/kernel/engine/workflow-ids.ts';
import { newProjectId } from '../../shared/kernel/new-ids.ts';
import { encodeNetcdf } from '../../shared/science/datasets/netcdf.ts';
import { type OwnTask, readOwnTask } from '../../shared/tasks/own-tasks.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import type { RunningWorkers } from '../../workers/workers.ts';
import { historyOf, replay } from '../support/histories.ts';
import { executionNamed, taskNamed, userNamed } from '../support/ids.ts';
import { type Laboratory, openLaboratory } from '../support/laboratory.ts';
import { startOwnWorkers } from '../support/own-workers.ts';
import { storedExecution, storedTask } from '../support/stored-results.ts';

const projectId = newProjectId();
const ada = { id: userNamed('ada'), username: 'ada' };
let lab: Laboratory;
let workers: RunningWorkers;

const response = { dims: ['step'], values: [1, null, 3], unit: 'ns', long_name: '' };
const steps = { dims: ['step'], values: [0, 1, 2], unit: '', long_name: '' };
const dataset = { dims: { step: 3 }, coordinates: { step: steps }, variables: { response } };

beforeAll(async () => {
  lab = await openLaboratory({ BACKEND_LOOK_INTERVAL: '20' });
  await mkdir(lab.settings.CONFIG_PATH, { recursive: true });
  const backends = { simulator: {}, able: {}, plain: {} };
  await writeFile(join(lab.settings.CONFIG_PATH, 'backends.json'), JSON.stringify({ backends }));
  workers = await startOwnWorkers(lab);
  await mkdir(join(lab.settings.CALIB_DATA_PATH, projectId), { recursive: true });
  for (const backend of ['able', 'plain']) await keep(backend, declared());
});
afterAll(async () => {
  await workers?.stop();
  await lab?.close();
});

function declared(): OwnTask {
  const outputs = { lab_slope: { unit: 'us' } };
  const run_parameters = { gain: { value: 1, value_type: 'float', maximum: 10 } };
  const read = readOwnTask('LabSlope', '', { type: 'qubit', outputs, run_parameters });
  return typeof read === 'string' ? expect.fail(read) : read;
}

/** Stores a result of the backend's own task, with raw data, under the name of the backend. */
async function keep(backend: string, task: OwnTask): Promise<void> {
  await lab.areas.backends.noteOwnTasks(backend, [task], new Date());
  const { db } = lab.database;
  const execution_id = `of-${backend}`;
  const execution = {
    ...storedExecution(projectId, ada, { execution_id: executionNamed(execution_id) }),
    backend,
  };
  await db.collection<ExecutionDocument>('executions').insertOne(execution);
  const path = join(lab.settings.CALIB_DATA_PATH, projectId, `${backend}.nc`);
  await writeFile(path, encodeNetcdf(dataset, { title: task.name }));
  await db.collection<TaskResultDocument>('task_results').insertOne(
    storedTask(projectId, ada, {
      ...{
        task_id: taskNamed(backend),
        name: task.name,
        execution_id: executionNamed(execution_id),
        qid: '0',
        raw_data_path: [path],
      },
      run_parameters: { gain: { value: 2, value_type: 'float', unit: '', description: '' } },
      input_parameters: {},
      output_parameters: {},
    }),
  );
}

/** Analyses the result of a backend again, while a worker serves it. */
async function again(
  backend: string,
  activities: Record<string, (request: AnalysisRequest) => Promise<unknown>>,
  overrides = {},
) {
  const connection = await NativeConnection.connect({ address: lab.settings.TEMPORAL_ADDRESS });
  const worker = await Worker.create({
    ...{ connection, activities, namespace: lab.settings.TEMPORAL_NAMESPACE },
    taskQueue: backendQueue(backend),
  });
  const order = { projectId, userId: userNamed('ada'), taskId: taskNamed(backend), overrides };
  try {
    return await worker.runUntil(lab.areas.reanalysis.previewOwn(order));
  } finally {
    await connection.close();
  }
}

const measure = async () => ({ targets: {} });

test('a worker analyses stored data of its own task with other run parameters, by a history that replays', async () => {
  let asked: AnalysisRequest | undefined;
  const figure = { data: [], layout: { title: { text: 'slope' } } };
  const analyse = async (request: AnalysisRequest) => {
    asked = request;
    const outputs = { lab_slope: { value: 2500, error: 100, unit: 'ns' }, other: { value: 1 } };
    return { outputs, figures: [JSON.stringify(figure)] };
  };
  const answer = await again('able', { measure, analyse }, { gain: 5 });
  expect(answer).toEqual({
    ...{ source_task_id: 'able', source_task_name: 'LabSlope', qid: '0', committed: false, figure },
    output_parameters: [{ name: 'lab_slope', value: 2.5, unit: 'us' }],
  });
  expect(asked).toMatchObject({
    ...{ contract: 1, task_name: 'LabSlope', task_type: 'qubit', target: '0', dataset },
    run_parameters: { gain: { value: 5 } },
  });
  const [found] = await lab.areas.results.ofExecution(projectId, executionNamed('of-able'));
  expect(found?.output_parameters).toEqual({});
  const listed = lab.engine.client.workflow.list({ query: "WorkflowType = 'ownAnalysis'" });
  for await (const { workflowId } of listed) {
    const histories = await historyOf(lab, 'own-analysis', workflowId);
    expect(await replay({ codePath: await workflowBundle(lab.cache) }, histories)).toEqual([]);
  }
});

test('an analysis that fails, or finds what cannot be, is refused with a message', async () => {
  const analyse = async () => {
    throw new Error('there is no slope');
  };
  await expect(again('able', { measure, analyse })).rejects.toMatchObject({
    code: 'unreadable_file',
    message: 'The backend reported an error: there is no slope',
  });
  const parsecs = async () => ({ outputs: { lab_slope: { value: 1, unit: 'GHz' } } });
  await expect(again('able', { measure, analyse: parsecs })).rejects.toMatchObject({
    code: 'unreadable_file',
    message: expect.stringContaining('lab_slope cannot be used'),
  });
  await expect(again('able', { measure, analyse }, { gain: 11 })).rejects.toMatchObject({
    code: 'invalid_parameters',
  });
});

test('a worker without such an activity, and a backend without a worker, are named', async () => {
  await expect(again('plain', { measure })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('calibron backend analyse'),
  });
  const order = { projectId, userId: userNamed('ada'), taskId: taskNamed('plain'), overrides: {} };
  await expect(lab.areas.reanalysis.previewOwn(order)).rejects.toMatchObject({ code: 'no_worker' });
});

test('a task of the catalog is refused', async () => {
  await lab.database.db.collection<TaskResultDocument>('task_results').insertOne(
    storedTask(projectId, ada, {
      task_id: taskNamed('usual'),
      name: 'CheckT1',
      execution_id: executionNamed('of-able'),
    }),
  );
  const order = { projectId, userId: userNamed('ada'), taskId: taskNamed('usual'), overrides: {} };
  await expect(lab.areas.reanalysis.previewOwn(order)).rejects.toMatchObject({ code: 'bad_request' });
});
