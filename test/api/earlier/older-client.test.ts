import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { executionIdSchema, NO_USER } from '../../../shared/kernel/ids.ts';

import { type LaboratoryApi, openLaboratoryApi } from '../../support/laboratory-api.ts';

let api: LaboratoryApi;
/** Operations that the client has used, as `GET /api/chip/{chip_id}`. */
const used = new Set<string>();

beforeAll(async () => {
  api = await openLaboratoryApi();
});
afterAll(() => api.close());

interface Sent {
  method?: 'POST' | 'PUT' | 'DELETE';
  body?: unknown;
  query?: Record<string, string>;
}

/** A client of the earlier generation: it knows its username and the token of its login, and names no project. */
function olderClient(username: string, token: string) {
  /** @param template an operation's path, whose variable parts are in `parts`, in order */
  return async (template: string, parts: readonly string[] = [], sent: Sent = {}): Promise<Response> => {
    const { method = 'GET', body, query = {} } = sent;
    used.add(`${method} ${template}`);
    const rest = [...parts];
    const path = template.replace(/\{[^}]+\}/g, () => encodeURIComponent(rest.shift() ?? ''));
    const response = await fetch(`${api.base}${path}?${new URLSearchParams(query)}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'x-username': username,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(response.status, `${method} ${path}`).toBe(200);
    return response;
  };
}

const menu = z.looseObject({ name: z.string(), tasks: z.array(z.string()), task_details: z.looseObject({}) });
const summaries = z.array(z.looseObject({ execution_id: executionIdSchema, name: z.string() }));
const detail = z.looseObject({
  status: z.string(),
  message: z.string().optional(),
  task: z.array(
    z.looseObject({
      name: z.string(),
      status: z.string(),
      figure_path: z.array(z.string()),
      raw_data_path: z.array(z.string()),
      start_at: z.string().nullable(),
      end_at: z.string().nullable(),
    }),
  ),
});

test('a client of the earlier generation goes through all operations: a menu, its runs, what they found', async () => {
  const { lab } = api;
  const project = await api.newProject('A16', ['0', '1', '4']);
  const admin = await lab.areas.accounts.users.findByUsername('admin');
  await lab.areas.accounts.users.setDefaultProject(admin?._id ?? NO_USER, project);
  used.add('POST /api/auth/login');
  const login = await fetch(`${api.base}/api/auth/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'admin', password: 'correct horse battery' }),
  });
  const { username, access_token } = z
    .object({ username: z.string(), access_token: z.string() })
    .parse(await login.json());
  const ask = olderClient(username, access_token);
  const json = async (...given: Parameters<typeof ask>): Promise<unknown> => (await ask(...given)).json();
  const post = (template: string, body: unknown) => json(template, [], { method: 'POST', body });

  expect(await json('/api/auth/me')).toMatchObject({ username });
  const colleague = { username: 'colleague', password: 'long enough', full_name: 'A Colleague' };
  expect(await post('/api/auth/register', colleague)).toMatchObject({ full_name: 'A Colleague' });
  expect(await json('/api/settings')).toMatchObject({ backend: 'simulator', llm_api_key: '<LLM_API_KEY>' });
  expect(await json('/api/backend')).toMatchObject([{ name: 'simulator' }]);
  expect(await json('/api/tasks', [], { query: { backend: 'simulator' } })).toMatchObject({
    tasks: expect.arrayContaining([expect.objectContaining({ name: 'CheckT1', task_type: 'qubit' })]),
  });
  expect(await json('/api/parameter')).toMatchObject({
    parameters: expect.arrayContaining([expect.objectContaining({ name: 't1', unit: 'us' })]),
  });
  expect(await json('/api/chip')).toMatchObject([{ chip_id: 'A16', size: 16 }]);

  // A preset becomes a menu of the client's own.
  const { menus: presets } = z.object({ menus: z.array(menu) }).parse(await json('/api/menu/preset'));
  const wanted = {
    ...presets[0],
    name: 'Morning',
    chip_id: 'A16',
    schedule: { serial: [{ parallel: [{ serial: ['0'] }, '1'] }, { batch: ['4'] }, '0'] },
    tasks: ['CheckRabi', 'CheckT1'],
    tags: ['morning'],
  };
  expect(await post('/api/menu', wanted)).toEqual({ name: 'Morning' });
  expect(await json('/api/menu')).toMatchObject({ menus: [{ name: 'Morning' }] });
  const saved = menu.parse(await json('/api/menu/{name}', ['Morning']));
  expect(Object.keys(saved.task_details)).toEqual(['CheckRabi', 'CheckT1']);
  const changed = { ...saved, description: 'Before breakfast' };
  await ask('/api/menu/{name}', ['Morning'], { method: 'PUT', body: changed });

  /** The newest execution of the chip, once it has ended. */
  async function ended(not: readonly string[] = []) {
    for (;;) {
      const [newest] = summaries.parse(await json('/api/chip/{chip_id}/execution', ['A16']));
      if (newest && !not.includes(newest.execution_id)) {
        const place = ['A16', newest.execution_id];
        const seen = detail.parse(await json('/api/chip/{chip_id}/execution/{execution_id}', place));
        if (!['running', 'scheduled'].includes(seen.status)) return { ...newest, ...seen };
      }
      await wait(200);
    }
  }

  // The run: stages in the order of the menu's nodes, on the real engine.
  const started = z.object({ flow_run_url: z.string(), ui_url: z.string() });
  expect(started.parse(await post('/api/calibration', changed)).ui_url).toContain('A16');
  const run = await ended();
  expect(run).toMatchObject({ status: 'completed', name: `Morning-${run.execution_id}` });
  expect(run.task.map(({ name, status }) => `${name} ${status}`).sort()).toEqual(
    [
      '0-CheckRabi',
      '0-CheckRabi',
      '0-CheckT1',
      '0-CheckT1',
      '1-CheckRabi',
      '1-CheckT1',
      '4-CheckRabi',
      '4-CheckT1',
    ].map((name) => `${name} completed`),
  );
  const times = (qid: string) =>
    run.task
      .filter(({ name }) => name.startsWith(`${qid}-`))
      .map(({ start_at, end_at }) => [start_at, end_at]);
  const [first, batch, again] = [[...times('0').slice(0, 2), ...times('1')], times('4'), times('0').slice(2)];
  const lastEnd = (of: typeof first) =>
    of
      .map(([, end]) => end ?? '')
      .sort()
      .at(-1) ?? '';
  const firstStart = (of: typeof first) => of.map(([start]) => start ?? '').sort()[0] ?? '';
  expect(firstStart(batch) >= lastEnd(first)).toBe(true);
  expect(firstStart(again) >= lastEnd(batch)).toBe(true);
  expect(await json('/api/executions/lock_status')).toEqual({ lock: false });
  expect(await json('/api/chip/{chip_id}/dates', ['A16'])).toMatchObject({ data: [expect.any(String)] });
  expect(await json('/api/tag')).toEqual({ tags: [{ name: 'morning' }] });

  // What it found.
  const t1 = run.task.find(({ name }) => name === '0-CheckT1');
  const figure = await ask('/api/executions/figure', [], { query: { path: t1?.figure_path[0] ?? '' } });
  expect(figure.headers.get('content-type')).toBe('image/png');
  const raw = { query: { path: t1?.raw_data_path[0] ?? '' } };
  expect((await (await ask('/api/file/raw_data', [], raw)).arrayBuffer()).byteLength).toBeGreaterThan(100);
  expect((await ask('/api/file/zip', [], raw)).headers.get('content-type')).toBe('application/zip');
  expect(await json('/api/chip/{chip_id}', ['A16'])).toMatchObject({
    qubits: { '0': { data: { t1: { execution_id: run.execution_id } } } },
  });
  const muxes = { '0': { mux_id: 0, detail: { '1': { CheckT1: { status: 'completed' } } } } };
  expect(await json('/api/chip/{chip_id}/mux', ['A16'])).toMatchObject({ muxes });
  expect(await json('/api/chip/{chip_id}/mux/{mux_id}', ['A16', '0'])).toMatchObject(muxes['0']);
  const byTask = {
    task_name: 'CheckT1',
    result: { '4': { status: 'completed' }, '7': { status: 'pending' } },
  };
  const day = run.execution_id.slice(0, 8);
  expect(await json('/api/chip/{chip_id}/task/qubit/{task_name}', ['A16', 'CheckT1'])).toMatchObject({
    ...byTask,
    outlier_detection: { enabled: true, original_count: 3 },
  });
  const history = '/history/{recorded_date}';
  expect(
    await json(`/api/chip/{chip_id}/task/qubit/{task_name}${history}`, ['A16', 'CheckT1', day]),
  ).toMatchObject({ task_name: 'CheckT1', result: { '4': { status: 'completed' } } });
  expect(await json('/api/chip/{chip_id}/task/coupling/{task_name}', ['A16', 'CheckZX90'])).toMatchObject({
    result: { '0-1': { status: 'pending', default_view: false } },
  });
  const series = {
    query: { tag: 'morning', start_at: '2020-01-01T00:00:00Z', end_at: '2100-01-01T00:00:00Z' },
  };
  expect(await json('/api/chip/{chip_id}/parameter/{parameter}', ['A16', 't1'], series)).toMatchObject({
    data: { '0': [{ unit: 'us' }, { unit: 'us' }], '1': [{ unit: 'us' }], '4': [{ unit: 'us' }] },
  });
  const ofOne = '/api/chip/{chip_id}/parameter/{parameter}/qid/{qid}';
  expect(
    Object.keys(
      z.object({ data: z.looseObject({}) }).parse(await json(ofOne, ['A16', 't1', '4'], series)).data,
    ),
  ).toEqual(['4']);
  expect(await json('/api/calibration/note')).toMatchObject({ task_id: 'master', note: expect.any(Object) });
  const device = await post('/api/device_topology', { qubits: ['0', '1'] });
  expect(device).toMatchObject({ qubits: [{ physical_id: 0 }, { physical_id: 1 }] });
  await ask('/api/device_topology/plot', [], { method: 'POST', body: device });

  // Runs at set times.
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  const entry = z.looseObject({ flow_run_id: z.string() });
  const once = entry.parse(
    await post('/api/calibration/schedule', { menu_name: 'Morning', scheduled: inAnHour }),
  );
  expect(await json('/api/calibration/schedule')).toEqual([once]);
  const gone = await json('/api/calibration/schedule/{flow_run_id}', [once.flow_run_id], {
    method: 'DELETE',
  });
  expect(gone).toEqual([]);
  const slot = { scheduler_name: 'cron-scheduler-2', menu_name: 'Morning', cron: '0 5 * * *', active: true };
  expect(await post('/api/calibration/cron-schedule', slot)).toEqual(slot);
  const { schedules } = z
    .object({ schedules: z.array(z.looseObject({})) })
    .parse(await json('/api/calibration/cron-schedule'));
  expect(schedules).toHaveLength(5);
  expect(schedules[1]).toMatchObject({ menu_name: 'Morning', cron: '0 5 * * *', active: true });
  const [cron] = await lab.areas.schedules.store.all(project, 'menu');
  await lab.engine.client.schedule.getHandle(cron?.schedule_id ?? '').trigger();
  const scheduled = await ended([run.execution_id]);
  expect(scheduled).toMatchObject({
    status: 'completed',
    name: `Morning-${scheduled.execution_id}`,
    note: { schedule_id: cron?.schedule_id, menu_name: 'Morning' },
  });

  await ask('/api/menu/{name}', ['Morning'], { method: 'DELETE' });
  await ask('/api/auth/logout', [], { method: 'POST' });

  const { paths } = z
    .object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })
    .parse(await (await fetch(`${api.base}/api/openapi.json`)).json());
  const documented = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented).toHaveLength(41);
  // Of couplings nothing was recorded that day, which is 404.
  const unused = documented.filter((operation) => !used.has(operation));
  expect(unused).toEqual([`GET /api/chip/{chip_id}/task/coupling/{task_name}${history}`]);
});
