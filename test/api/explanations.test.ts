import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExecutionDocument } from '../../shared/domain/executions/model.ts';
import { explanation } from '../../shared/domain/explanations/model.ts';
import { entityId } from '../../shared/domain/provenance/rules.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { NO_EXECUTION, NO_TASK, type ProjectId } from '../../shared/kernel/ids.ts';
import { executionNamed, taskNamed, userNamed } from '../support/ids.ts';
import { type Api, expectError, type Person, read, startApi } from './harness.ts';
import { storedExecution, storedTask } from './laboratory.ts';

let api: Api;
let owner: Person;
let project: ProjectId;

const EXECUTION = '20260102-003';
const frequency = entityId('qubit_frequency', '0', executionNamed('seed-1'), taskNamed('seed'));
const t1 = (task: string) => entityId('t1', '0', executionNamed(EXECUTION), taskNamed(task));
const explain = (id: string, headers: Record<string, string> = {}) =>
  api.as(owner, project)(`/provenance/explain/${encodeURIComponent(id)}`, { headers });

/** How a result was judged by a catalog that has changed since. */
const judgedThen = [{ rule: 'bounds' as const, passed: true, detail: '50 µs; it must be at most 60.' }];

beforeAll(async () => {
  api = await startApi();
  owner = await api.makePerson();
  project = await api.makeProject(owner);
  const as = api.as(owner, project);
  const post = (url: string, body: unknown) => as(url, { method: 'POST', body });
  const put = (url: string, content: string) => as(url, { method: 'PUT', body: { content } });
  await post('/chips', { chip_id: 'CHIP', size: 4 });
  await post('/cryostats', { cryo_id: 'CRYO' });
  await post('/cooldowns', {
    cooldown_id: 'COLD',
    cryo_id: 'CRYO',
    started_at: '2026-01-01',
    chip_ids: ['CHIP'],
  });
  const common = {
    project_id: project,
    chip_id: 'CHIP',
    task_type: 'qubit',
    qid: '0',
    status: 'completed',
    started_at: null,
  };
  await api.areas.provenance.add({
    ...common,
    execution_id: executionNamed('seed-1'),
    task_id: taskNamed('seed'),
    task_name: 'Seed',
    ended_at: new Date('2026-01-01T12:00:00Z'),
    outputs: [{ parameter_name: 'qubit_frequency', value: 5, value_type: 'float', unit: 'GHz', error: null }],
    used_entities: [],
    agent: { user_id: userNamed('usr_ann'), username: 'ann' },
  });
  const input = {
    parameter_name: 'qubit_frequency',
    qid_role: '',
    source: 'database',
    required: true,
    value: 5,
    value_type: 'float',
    error: null,
    unit: 'GHz',
    description: '',
    calibrated_at: '2026-01-01T12:00:00.000Z',
    execution_id: executionNamed('seed-1'),
    task_id: taskNamed('seed'),
  };
  for (const [index, task_id] of ['old', 'new'].entries()) {
    await api.areas.provenance.add({
      ...common,
      execution_id: executionNamed(EXECUTION),
      task_id: taskNamed(task_id),
      task_name: 'CheckT1',
      ended_at: new Date(Date.UTC(2026, 0, 2, index)),
      outputs: [{ parameter_name: 't1', value: 50 + index, value_type: 'float', unit: 'µs', error: 0.5 }],
      used_entities: [frequency],
    });
    await api.database.db.collection<TaskResultDocument>('task_results').insertOne(
      storedTask(project, owner, {
        task_id: taskNamed(task_id),
        execution_id: executionNamed(EXECUTION),
        message: 'A <fine> fit & more',
        cooldown_id: 'COLD',
        input_parameters: {
          frequency: input,
          guess: { ...input, source: 'override', execution_id: NO_EXECUTION, task_id: NO_TASK },
        },
        used_entities: [frequency],
        ...(task_id === 'old' && { gates: { t1: judgedThen } }),
      }),
    );
  }
  await api.database.db
    .collection<ExecutionDocument>('executions')
    .insertOne(storedExecution(project, owner));
  await put('/task-results/new/note', 'Looks right');
  await put('/chips/CHIP/qubits/0/note', 'TLS nearby');
  await put('/chips/CHIP/qubits/0/metric-notes/t1', 'Improved');
  await post('/chips/CHIP/qubits/0/note/comments', { content: 'Agreed' });
});
afterAll(() => api.close());

test('a value is explained by its rules, task, run, inputs, cool-down, notes and who made it', async () => {
  const found = read(explanation, await explain(t1('new')));
  const by = (content: string) => ({ content, updated_by: owner.username, updated_at: expect.any(String) });
  expect(found).toMatchObject({
    entity: { entity_id: t1('new'), value: 51, version: 2 },
    latest_version: null,
    previous: { entity_id: t1('old'), value: 50 },
    activity: { activity_id: `activity:CheckT1:${EXECUTION}:new` },
    task: {
      task_id: 'new',
      task_name: 'CheckT1',
      status: 'completed',
      quality_metrics: { r2: 0.98 },
      figure_path: ['/data/fig/a.png'],
      json_figure_path: ['/data/fig/a.json'],
      raw_data_path: ['/data/raw_data/a.nc'],
      run_parameters: { shots: { value: 1024 } },
    },
    execution: { execution_id: EXECUTION, name: 'rabi', status: 'completed', backend: 'simulator' },
    cooldown: { cooldown_id: 'COLD', cryo_id: 'CRYO', ended_at: null },
    notes: {
      task: by('Looks right'),
      target: by('TLS nearby'),
      metric: by('Improved'),
      comments: [{ content: 'Agreed', created_by: owner.username }],
    },
    who: { user_id: owner.id, username: owner.username },
  });
  expect(found.gates.map(({ rule, passed }) => [rule, passed])).toEqual([
    ['finite', true],
    ['r2', true],
    ['bounds', true],
  ]);
  expect(found.inputs).toMatchObject([
    { name: 'frequency', value: 5, source: 'database', origin: { entity_id: frequency, task_name: 'Seed' } },
    { name: 'guess', source: 'override', origin: null },
  ]);
});

test('a value that was replaced says by which version, one that was given has neither task nor rules', async () => {
  expect(read(explanation, await explain(t1('old')))).toMatchObject({
    latest_version: 2,
    previous: null,
    gates: judgedThen,
  });
  expect(read(explanation, await explain(frequency))).toMatchObject({
    activity: { task_name: 'Seed' },
    gates: [],
    task: null,
    execution: null,
    inputs: [],
    cooldown: null,
    who: { user_id: 'usr_ann', username: 'ann' },
  });
  expectError(await explain('unknown'), 404, 'not_found');
});

test('a person gets the same as a page, with all texts escaped', async () => {
  const page = await explain(t1('new'), { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
  expect(page.status).toBe(200);
  expect(page.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': expect.stringContaining("default-src 'none'"),
    vary: expect.stringContaining('accept'),
  });
  for (const text of [
    '<h1>t1 of Q0 on CHIP: 51.00 ± 0.50 µs</h1>',
    'A &lt;fine&gt; fit &amp; more',
    'version 1 by Seed in seed-1',
    'COLD',
    'Looks right',
    'Improved',
    'TLS nearby',
    'Agreed',
    owner.username,
    '/executions/figure?path=%2Fdata%2Ffig%2Fa.png',
    '/data/raw_data/a.nc',
  ]) {
    expect(page.text).toContain(text);
  }
  expect(page.text).not.toContain('<fine>');
});

test.each([
  ['application/json', 'application/json'],
  ['*/*', 'application/json'],
  ['text/html;q=0.5, application/json', 'application/json'],
  ['text/html;q=0', 'application/json'],
  ['text/html', 'text/html'],
  ['application/json;q=0.1, text/html;q=0.2', 'text/html'],
])('asked for %s it answers %s', async (accept, type) => {
  expect((await explain(frequency, { accept })).headers['content-type']).toContain(type);
});

test('a browser opens the page with its cookie, and its links lead on', async () => {
  const cookie = `theme=dark; access_token=${owner.token}`;
  const open = (url: string) => api.call(url, { headers: { accept: 'text/html', cookie } });
  const address = `/provenance/explain/${encodeURIComponent(t1('new'))}?project_id=${project}`;
  const page = await open(address);
  expect(page.status).toBe(200);
  const links = [...page.text.matchAll(/<a href="([^"]+)"/g)].map(([, link = '']) =>
    link.replaceAll('&amp;', '&'),
  );
  const versions = links.filter((link) => link.startsWith('./'));
  expect(versions).toHaveLength(2);
  for (const link of versions) {
    const { pathname, search } = new URL(link, `http://host${address}`);
    const linked = await open(`${pathname}${search}`);
    expect([linked.status, linked.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  }
  expect(links).toContain('../../files/raw-data?path=%2Fdata%2Fraw_data%2Fa.nc');
});

test('a cookie opens nothing that its user may not read', async () => {
  const stranger = await api.makePerson();
  const address = `/provenance/explain/${encodeURIComponent(t1('new'))}?project_id=${project}`;
  const as = (token: string) => api.call(address, { headers: { cookie: `access_token=${token}` } });
  expectError(await as(stranger.token), 403, 'forbidden');
  expectError(await as('wrong'), 401, 'not_authenticated');
  expectError(await api.call(address), 401, 'not_authenticated');
});
