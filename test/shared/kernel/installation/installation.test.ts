import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { readSettings } from '../../../../shared/domain/settings.ts';
import { connectDatabase, type Database } from '../../../../shared/kernel/database.ts';
import { confirmedEngine } from '../../../../shared/kernel/engine/confirmed.ts';
import { NAMESPACE_DATA_KEY, readEngineMark } from '../../../../shared/kernel/engine/installation-mark.ts';
import { prepareEngine } from '../../../../shared/kernel/engine/prepare.ts';
import { connectEngine, type Engine, engineAccess } from '../../../../shared/kernel/engine/temporal.ts';
import { INSTALLATION_MARK_ID } from '../../../../shared/kernel/engine/workflow-ids.ts';
import { describeWorkflow } from '../../../../shared/kernel/engine/workflow-status.ts';
import { adopt } from '../../../../shared/kernel/installation/adopt.ts';
import { createInstallation } from '../../../../shared/kernel/installation/installation.ts';
import { createInstallationStore } from '../../../../shared/kernel/installation/store.ts';
import { newId } from '../../../../shared/kernel/new-ids.ts';
import { eventually } from '../../../support/laboratory.ts';
import { GATEWAY_NAME, makeCertificates, openGateway } from '../../../support/secured-gateway.ts';
import { openProxy } from '../../../support/tcp-proxy.ts';

const target = process.env['CALIBRON_TEST_TEMPORAL'] ?? 'unset';
const storeAddress = process.env['CALIBRON_TEST_MONGODB'] ?? 'unset';

let directory: string;
/** What tests opened, to be closed in the reverse order. */
const opened: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-installation-'));
});
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function newStore(name = `installation_${newId().slice(0, 8)}`): Promise<Database> {
  const database = await connectDatabase(storeAddress, name);
  opened.push(async () => {
    await database.db.dropDatabase();
    await database.close();
  });
  return database;
}

async function engineOf(namespace: string, environment: Record<string, string> = {}): Promise<Engine> {
  const settings = readSettings({
    TEMPORAL_ADDRESS: target,
    TEMPORAL_NAMESPACE: namespace,
    ...environment,
  });
  const engine = connectEngine(await engineAccess(settings));
  opened.push(() => engine.close());
  return engine;
}

async function newNamespace(): Promise<Engine> {
  const engine = await engineOf(`installation_${newId().slice(0, 8)}`);
  await prepareEngine(engine);
  return engine;
}

const installationOf = (database: Database, engine: Engine) =>
  createInstallation({ database, engine, address: target });

/** The message by which it refuses; null when it does not. */
const refusal = (installation: { confirm(): Promise<void> }): Promise<string | null> =>
  installation.confirm().then(
    () => null,
    (thrown: unknown) => {
      if (thrown instanceof Error && 'code' in thrown && thrown.code === 'wrong_installation') {
        return thrown.message;
      }
      throw thrown;
    },
  );

test('many processes that start at once on an empty installation agree on one id', async () => {
  const engine = await newNamespace();
  const database = await newStore();
  const processes = await Promise.all(
    Array.from({ length: 6 }, async () =>
      installationOf(await newStore(database.db.databaseName), await engineOf(engine.namespace)),
    ),
  );
  expect(await Promise.all(processes.map(refusal))).toEqual(processes.map(() => null));
  const { installation_id, namespace_id } = await createInstallationStore(database.db).get();
  expect(await readEngineMark(engine)).toEqual({ installation_id, namespace_id, is_closed: false });
});

test('of two stores that claim one namespace at once one at most is served in the end', async () => {
  const engine = await newNamespace();
  const both = await Promise.all([newStore(), newStore()]);
  const installations = both.map((database) => installationOf(database, engine));
  await Promise.all(installations.map(refusal));
  const served = (await Promise.all(installations.map(refusal))).filter((message) => message === null);
  expect(served).toHaveLength(1);
});

test('of two namespaces that a store is started with at once one gets its id', async () => {
  const database = await newStore();
  const engines = await Promise.all([newNamespace(), newNamespace()]);
  const refusals = await Promise.all(engines.map((engine) => refusal(installationOf(database, engine))));
  expect(refusals.filter((message) => message === null)).toHaveLength(1);
  const { installation_id } = await createInstallationStore(database.db).get();
  const marks = (await Promise.all(engines.map(readEngineMark))).map((mark) => mark.installation_id);
  expect(marks.toSorted()).toEqual([installation_id, null].toSorted());
});

test('what is in the data of the namespace besides stays', async () => {
  const engine = await newNamespace();
  const { workflowService } = engine.connection;
  const { namespace } = engine;
  await workflowService.updateNamespace({ namespace, updateInfo: { data: { team: 'fridge' } } });
  await installationOf(await newStore(), engine).confirm();
  const { namespaceInfo } = await workflowService.describeNamespace({ namespace });
  expect(namespaceInfo?.data).toMatchObject({ team: 'fridge', [NAMESPACE_DATA_KEY]: expect.any(String) });
});

test('a mark that was taken out of our own namespace is written again', async () => {
  const engine = await newNamespace();
  const installation = installationOf(await newStore(), engine);
  await installation.confirm();
  const { namespace } = engine;
  await engine.connection.workflowService.updateNamespace({
    namespace,
    updateInfo: { data: { [NAMESPACE_DATA_KEY]: '' } },
  });
  expect((await readEngineMark(engine)).installation_id).toBe(null);
  await installation.confirm();
  const { installation_id } = await installation.store.get();
  expect((await readEngineMark(engine)).installation_id).toBe(installation_id);
});

test('another store, or another Temporal, is refused until it is adopted', async () => {
  const [engine, otherEngine] = await Promise.all([newNamespace(), newNamespace()]);
  const [database, otherStore] = await Promise.all([newStore(), newStore()]);
  await installationOf(database, engine).confirm();
  const parts = (store: Database, temporal: Engine) => ({
    database: store,
    engine: temporal,
    address: target,
  });

  const wrongTemporal = installationOf(database, otherEngine);
  const message = await refusal(wrongTemporal);
  expect(message).toContain(`database ${database.db.databaseName}`);
  expect(message).toContain(`namespace ${otherEngine.namespace}`);
  expect(await refusal(installationOf(otherStore, engine))).toContain('different installations');
  expect((await readEngineMark(otherEngine)).installation_id).toBe(null);

  await adopt('temporal', parts(database, otherEngine), directory);
  expect(await refusal(wrongTemporal)).toBe(null);
  // It still carries the id, but the store is another namespace's by now.
  expect(await refusal(installationOf(database, engine))).toContain('different installations');

  await adopt('store', parts(otherStore, otherEngine), directory);
  expect(await refusal(installationOf(otherStore, otherEngine))).toBe(null);
  await expect(adopt('store', parts(otherStore, await newNamespace()), directory)).rejects.toThrow(
    'carries no installation id',
  );
});

test('a workflow that the server of another installation does not know is not reported as unknown', async () => {
  const [engine, other] = await Promise.all([newNamespace(), newNamespace()]);
  const database = await newStore();
  await installationOf(database, engine).confirm();
  const right = confirmedEngine(engine, installationOf(database, engine).confirm);
  expect(await describeWorkflow(right, 'exec:nothing')).toBe(null);

  const wrong = confirmedEngine(other, installationOf(database, other).confirm);
  const handle = wrong.client.workflow.getHandle('exec:nothing');
  const start = { workflowId: 'exec:nothing', taskQueue: 'none' };
  for (const call of [
    () => describeWorkflow(wrong, 'exec:nothing'),
    () => handle.signal('pause'),
    () => handle.cancel(),
    () => handle.terminate(),
    () => handle.query('state'),
    () => handle.executeUpdate('pause'),
    () => wrong.client.workflow.start('calibrationRun', start),
    () =>
      wrong.client.schedule.create({
        scheduleId: 'nothing',
        spec: { intervals: [{ every: '1 day' }] },
        action: { type: 'startWorkflow', workflowType: 'scheduledStart', ...start },
      }),
  ]) {
    await expect(call()).rejects.toMatchObject({ code: 'wrong_installation' });
  }
  await eventually(async () => (await describeWorkflow(other, 'exec:nothing')) === null);
});

test('a store that is replaced under a connection is noticed before anything else is read from it', async () => {
  const engine = await newNamespace();
  const database = await newStore();
  let lost = () => {};
  const installation = createInstallation({
    database: {
      db: database.db,
      onReconnect(listener) {
        lost = listener;
      },
    },
    engine,
    address: target,
  });
  await installation.confirm();
  await database.db.dropDatabase();
  await installation.settled();
  expect(installation.problem).toBe(null);
  lost();
  await installation.settled();
  expect(installation.problem).toContain('different installations');
});

test('where the data of the namespace may not be written a workflow carries the id', async () => {
  const owner = await newNamespace();
  const certificates = await makeCertificates(directory);
  const gateway = await openGateway(target, certificates, { denied: /\/UpdateNamespace$/ });
  opened.push(() => gateway.close());
  const way = {
    TEMPORAL_ADDRESS: gateway.address,
    TEMPORAL_TLS_SERVER_NAME: GATEWAY_NAME,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: certificates.paths.authority,
    TEMPORAL_TLS_CLIENT_CERT_PATH: certificates.paths.clientCert,
    TEMPORAL_TLS_CLIENT_KEY_PATH: certificates.paths.clientKey,
  };
  const engine = await engineOf(owner.namespace, way);
  const database = await newStore();
  const installations = await Promise.all(
    Array.from({ length: 4 }, async () => installationOf(database, await engineOf(owner.namespace, way))),
  );
  expect(await Promise.all(installations.map(refusal))).toEqual(installations.map(() => null));
  const { installation_id } = await createInstallationStore(database.db).get();
  expect((await readEngineMark(engine)).installation_id).toBe(installation_id);
  const { namespaceInfo } = await owner.connection.workflowService.describeNamespace({
    namespace: owner.namespace,
  });
  expect(namespaceInfo?.data ?? {}).not.toHaveProperty(NAMESPACE_DATA_KEY);
  expect(await refusal(installationOf(await newStore(), engine))).toContain(installation_id);

  // A closed workflow is forgotten in the end: it is started again.
  await owner.client.workflow.getHandle(INSTALLATION_MARK_ID).terminate();
  expect(await readEngineMark(engine)).toMatchObject({ installation_id, is_closed: true });
  expect(await refusal(installationOf(database, engine))).toBe(null);
  expect(await readEngineMark(engine)).toMatchObject({ installation_id, is_closed: false });

  const otherStore = await newStore();
  await adopt('temporal', { database: otherStore, engine, address: target }, directory);
  expect(await refusal(installationOf(otherStore, engine))).toBe(null);
  expect(await refusal(installationOf(database, engine))).toContain('different installations');
});

test('while the store is away a measurement is admitted, and work that needs the store is not', async () => {
  const [engine, otherEngine] = await Promise.all([newNamespace(), newNamespace()]);
  const name = `installation_${newId().slice(0, 8)}`;
  const way = await openProxy(new URL(storeAddress).host);
  opened.push(() => way.close());
  const database = await connectDatabase(`mongodb://${way.address}/?directConnection=true`, name);
  opened.push(() => database.close());
  const installation = installationOf(database, engine);
  await installation.confirm();
  await way.close();
  await installation.admitMeasurement('run-1');
  await expect(installation.admit('run-1')).rejects.toThrow();

  const led = { ...engine, namespace: engine.namespace };
  const moved = installationOf(await newStore(name), led);
  await moved.confirm();
  led.namespace = otherEngine.namespace;
  await expect(moved.admitMeasurement('run-2')).rejects.toMatchObject({ code: 'wrong_installation' });
});

test('a Temporal that is away proves nothing', async () => {
  const away = await engineOf('default', { TEMPORAL_ADDRESS: '127.0.0.1:1' });
  const installation = installationOf(await newStore(), away);
  await installation.checkIfThere();
  expect(installation.problem).toBe(null);
  await expect(installation.confirm()).rejects.toThrow();
});
