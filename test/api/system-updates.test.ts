import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { updaterSettings } from '../../activities/system-update/updater-settings.ts';
import { readSettings } from '../../shared/domain/settings.ts';
import { updateOperation, updateStatus } from '../../shared/domain/system-updates/model.ts';
import { systemUpdate } from '../../shared/domain/system-updates/workflow-model.ts';
import { SYSTEM_QUEUE, SYSTEM_UPDATE_ID } from '../../shared/kernel/engine/workflow-ids.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { startUpdater } from '../../workers/updater/updater.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';
import { eventually } from '../support/laboratory.ts';
import { type Api, expectError, type Person, read, startApi } from './harness.ts';

const BASE = '/admin/system-updates';

describe('an installation without an updater', () => {
  let api: Api;
  let admin: Person;
  beforeAll(async () => {
    api = await startApi();
    admin = await api.makePerson({ system_role: 'admin' });
  });
  afterAll(() => api.close());

  test('says so in its status, and starts no update', async () => {
    const call = api.as(admin);
    expect(read(updateStatus, await call(`${BASE}/status`))).toMatchObject({
      enabled: false,
      current_version: 'unknown',
      current_commit: 'unknown',
      latest_version: null,
      update_available: false,
      can_update: false,
      operation_state: 'idle',
      blocked_reason: 'System updates are not configured: SYSTEM_UPDATES is off.',
    });
    expectError(await call(BASE, { method: 'POST', body: {} }), 503, 'updater_unavailable');
    expectError(await call(`${BASE}/${newId()}`), 404, 'not_found');
  });

  test('is no business of who is no administrator, whatever they send', async () => {
    const call = api.as(await api.makePerson());
    for (const answer of [
      await call(`${BASE}/status`),
      await call(BASE, { method: 'POST', body: { expected_current_version: 7 } }),
      await call(`${BASE}/${newId()}`),
    ]) {
      expectError(answer, 403, 'admin_required');
    }
  });
});

describe('an update whose updater died', () => {
  let api: Api;
  let admin: Person;
  beforeAll(async () => {
    api = await startApi({ engine: 'prepared' });
    admin = await api.makePerson({ system_role: 'admin' });
  });
  afterAll(() => api.close());

  /** An update that holds the gate, with its workflow, which nobody carries on. */
  async function waiting(state: 'queued' | 'running'): Promise<string> {
    const { store } = api.areas.systemUpdates;
    const now = new Date();
    const operation_id = newId();
    expect(await api.areas.updateGate.take(operation_id)).toBeNull();
    await store.insert({
      _id: operation_id,
      state,
      stage: state === 'queued' ? 'queued' : 'preflight',
      source_version: 'v1.0.0',
      target_version: 'v1.1.0',
      message: 'Waiting for the updater.',
      log_tail: [],
      done: [],
      requested_by: admin.username,
      started_at: now,
      updated_at: now,
      completed_at: null,
    });
    await api.engine.client.workflow.start(systemUpdate.name, {
      workflowId: SYSTEM_UPDATE_ID,
      taskQueue: SYSTEM_QUEUE,
      memo: { operation_id },
      args: [{ operation_id, expected_target: 'v1.1.0', heartbeat_timeout: 10 }],
    });
    return operation_id;
  }
  const cancel = (id: string) => api.as(admin)(`${BASE}/${id}/cancel`, { method: 'POST' });

  test('is taken back by an administrator while it waits, and runs may start again', async () => {
    const id = await waiting('queued');
    expect(await api.areas.updateGate.holder()).toMatchObject({ operation_id: id });
    const taken = read(updateOperation, await cancel(id));
    expect(taken).toMatchObject({ operation_id: id, state: 'failed', stage: 'interrupted' });
    expect(taken.message).toContain(admin.username);
    expect(taken.completed_at).not.toBeNull();
    expect(await api.areas.updateGate.holder()).toBeNull();
    const { status } = await api.engine.client.workflow.getHandle(SYSTEM_UPDATE_ID).describe();
    expect(status.name).toBe('TERMINATED');
    // As when the first cancel was cut off before it had opened the gate.
    expect(await api.areas.updateGate.take(id)).toBeNull();
    expect(read(updateOperation, await cancel(id))).toEqual(taken);
    expect(await api.areas.updateGate.holder()).toBeNull();
    expectError(await cancel(newId()), 404, 'not_found');
    const trail = await api.as(admin)('/admin/audit', { query: { action: 'system_update_cancelled' } });
    expect(JSON.stringify(trail.body)).toContain(id);
  });

  test('is not taken back once it was begun: half an update is of no use', async () => {
    const id = await waiting('running');
    expectError(await cancel(id), 409, 'conflict');
    expect(await api.areas.updateGate.holder()).toMatchObject({ operation_id: id });
    const { status } = await api.engine.client.workflow.getHandle(SYSTEM_UPDATE_ID).describe();
    expect(status.name).toBe('RUNNING');
  });
});

describe('an installation with an updater', () => {
  let api: Api;
  let admin: Person;
  let place: Installation;
  let updater: Awaited<ReturnType<typeof startUpdater>>;
  beforeAll(async () => {
    place = makeInstallation([{ version: 'v1.0.0' }, { version: 'v1.1.0' }]);
    api = await startApi({ environment: place.settings, engine: 'prepared' });
    admin = await api.makePerson({ system_role: 'admin' });
    const updaterOf = updaterSettings(readSettings({ ...place.settings }));
    if ('missing' in updaterOf) throw new Error(updaterOf.missing);
    updater = await startUpdater({
      settings: api.settings,
      updater: updaterOf.updater,
      db: api.database.db,
      engine: api.engine,
      log: createLog('test', 'SILENT'),
      bundlePath: await workflowBundle(
        join(process.env['CALIBRON_TEST_DIRECTORY'] ?? api.directory, 'cache'),
        {
          updater: true,
        },
      ),
      identity: 'of a test',
    });
  });
  afterAll(async () => {
    await updater.stop();
    await api.close();
    place.close();
  });

  test('is updated by an administrator, who follows it while runs are refused, and the audit trail records it', async () => {
    const call = api.as(admin);
    expect(read(updateStatus, await call(`${BASE}/status`))).toMatchObject({
      enabled: true,
      current_version: 'v1.0.0',
      latest_version: 'v1.1.0',
      can_update: true,
    });
    const wrong = await call(BASE, { method: 'POST', body: { expected_current_version: 'v0.1.0' } });
    expectError(wrong, 409, 'conflict');
    const invalid = await call(BASE, { method: 'POST', body: { expected_current_version: 7 } });
    expect(invalid.status).toBe(422);

    place.hold('deploying');
    const reached = place.watch();
    const body = { expected_current_version: 'v1.0.0' };
    const started = read(updateOperation, await call(BASE, { method: 'POST', body }), 202);
    expect(started).toMatchObject({
      state: 'queued',
      source_version: 'v1.0.0',
      target_version: 'v1.1.0',
      progress: 0,
      completed_at: null,
    });
    await reached('deploying');
    const path = `${BASE}/${started.operation_id}`;
    expect(read(updateOperation, await call(path))).toMatchObject({ state: 'running', stage: 'deploying' });
    expect(read(updateStatus, await call(`${BASE}/status`))).toMatchObject({
      can_update: false,
      blocked_reason: 'An update is running.',
      operation_id: started.operation_id,
      operation_state: 'running',
    });
    expectError(await call(BASE, { method: 'POST', body: {} }), 409, 'update_running');

    const project = await api.makeProject(admin);
    await api.areas.chips.create(project, admin.username, { chip_id: 'CHIP', size: 4, topology_id: null });
    const inProject = api.as(admin, project);
    const run = await inProject('/tasks/CheckT1/execute', {
      method: 'POST',
      body: { chip_id: 'CHIP', qid: '0', backend_name: 'simulator' },
    });
    const reason = expectError(run, 409, 'update_running');
    const availability = await inProject('/executions/check-availability', {
      method: 'POST',
      body: { flow_name: null, parameters: { chip_id: 'CHIP' } },
    });
    expect(availability.body).toEqual({ available: false, reason });

    place.release('deploying');
    const ended = await eventually(async () => {
      const operation = read(updateOperation, await call(path));
      return operation.completed_at !== null && operation;
    });
    expect(ended).toMatchObject({ state: 'succeeded', stage: 'complete', progress: 100 });
    const trail = await call('/admin/audit', { query: { action: 'system_update_started' } });
    expect(trail.body).toMatchObject({
      entries: [
        {
          username: admin.username,
          target: started.operation_id,
          details: { source_version: 'v1.0.0', target_version: 'v1.1.0' },
        },
      ],
    });
  });
});
