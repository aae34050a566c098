import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { keyOf, newId } from '../../shared/ids.ts';
import type { StoredMembership } from '../../shared/projects/model.ts';
import { entityId } from '../../shared/provenance/rules.ts';
import { createProvenanceStore } from '../../shared/provenance/store.ts';
import { type Api, expectError, type Person, read, startApi } from './harness.ts';

const code = `export async function nothing(session) {
  session.log('nothing');
}
`;

let api: Api;
let owner: Person;
let viewer: Person;
let project: string;
let executionId: string;

const version = entityId('t1', '0', '20260102-000', 'task');

/** A project with one of everything that can be read. */
beforeAll(async () => {
  api = await startApi({ engine: 'prepared' });
  [owner, viewer] = await Promise.all([api.makePerson(), api.makePerson()]);
  project = await api.makeProject(owner);
  await api.addMember(project, viewer, 'viewer');
  const post = (url: string, body?: unknown) => api.as(owner, project)(url, { method: 'POST', body });
  await post('/chips', { chip_id: 'CHIP', size: 4 });
  await post('/flows', { name: 'nothing', code, chip_id: 'CHIP' });
  const started = await post('/flows/nothing/execute');
  executionId = read(z.object({ execution_id: z.string() }), started).execution_id;
  const at = new Date('2026-01-02T03:04:05Z');
  await createProvenanceStore(api.database.db).record({
    project_id: project,
    chip_id: 'CHIP',
    execution_id: '20260102-000',
    task_id: 'task',
    task_name: 'CheckT1',
    task_type: 'qubit',
    qid: '0',
    status: 'completed',
    started_at: at,
    ended_at: at,
    outputs: [{ parameter_name: 't1', value: 50, value_type: 'float', unit: 'µs', error: 0.5 }],
    used_entities: [],
  });
  await api.database.db.collection<{ _id: string }>('task_results').insertOne({
    _id: keyOf(project, 'task'),
    ...{
      project_id: project,
      task_id: 'task',
      execution_id: executionId,
      chip_id: 'CHIP',
      user_id: owner.id,
      username: owner.username,
      name: 'CheckT1',
      task_type: 'qubit',
      qid: '0',
      upstream_id: '',
      source_task_id: '',
      status: 'completed',
      message: '',
      stack_trace: '',
      input_parameters: {},
      output_parameters: {},
      output_parameter_names: [],
      run_parameters: {},
      quality_metrics: {},
      note: {},
      figure_path: [],
      json_figure_path: [],
      raw_data_path: [],
      tags: [],
      start_at: at,
      end_at: at,
      elapsed_time: 0,
    },
  });
});
afterAll(() => api.close());

/** Every route that reads in a project, by what its names mean. */
function readRoutes(): string[] {
  return [
    '/chips',
    '/chips/CHIP',
    '/chips/CHIP/qubits',
    '/chips/CHIP/qubits/0',
    '/flows',
    '/flows/nothing',
    '/executions?chip_id=CHIP',
    '/executions/lock-status',
    `/executions/${executionId}`,
    '/task-results',
    '/task-results/qubits/latest?chip_id=CHIP&task=CheckT1',
    '/tasks',
    '/tasks/task/result',
    '/backends',
    '/provenance/history?parameter_name=t1&qid=0',
    `/provenance/lineage/${encodeURIComponent(version)}`,
  ];
}

test('a viewer may read everything', async () => {
  for (const url of [...readRoutes(), `/projects/${project}`]) {
    expect([url, (await api.as(viewer, project)(url)).status]).toEqual([url, 200]);
  }
});

test('every route inside a project asks for one', async () => {
  const newcomer = await api.makePerson();
  for (const url of readRoutes()) expectError(await api.as(newcomer)(url), 400, 'project_required');
  for (const url of ['/chips', '/flows', '/flows/nothing/execute', `/executions/${newId()}/cancel`]) {
    expectError(await api.as(newcomer)(url, { method: 'POST' }), 400, 'project_required');
  }
});

test('a default project whose membership was lost is 403, also where another project is owned', async () => {
  const former = await api.makePerson({ default_project_id: project });
  await api.makeProject(former);
  await api.addMember(project, former, 'editor');
  expect((await api.as(former)('/chips')).status).toBe(200);
  await api.database.db
    .collection<StoredMembership>('memberships')
    .updateOne({ _id: keyOf(project, former.id) }, { $set: { status: 'revoked' } });
  for (const url of readRoutes()) expectError(await api.as(former)(url), 403, 'forbidden');
});
