import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { findEngine } from '../../../../scripts/engines/sources.ts';
import { noReport } from '../../../../scripts/engines/types.ts';
import { readSettings } from '../../../../shared/domain/settings.ts';
import { EngineNotPrepared, prepareEngine } from '../../../../shared/kernel/engine/prepare.ts';
import { searchAttributeNames } from '../../../../shared/kernel/engine/search-attributes.ts';
import { connectEngine, type Engine, engineAccess } from '../../../../shared/kernel/engine/temporal.ts';
import { newId } from '../../../../shared/kernel/new-ids.ts';
import { eventually } from '../../../support/laboratory.ts';
import {
  type Certificates,
  GATEWAY_NAME,
  makeCertificates,
  openGateway,
} from '../../../support/secured-gateway.ts';

const target = process.env['CALIBRON_TEST_TEMPORAL'] ?? 'unset';
/** What a user of a secured cluster may not ask for. */
const denied = /^\/temporal\.api\.operatorservice\.|\/RegisterNamespace$/;

let directory: string;
let certificates: Certificates;
const open: { close(): Promise<unknown> }[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-secured-'));
  certificates = await makeCertificates(directory);
});
afterAll(() => rm(directory, { recursive: true, force: true }));
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function gateway(rules?: Parameters<typeof openGateway>[2]) {
  const opened = await openGateway(target, certificates, rules);
  open.push(opened);
  return opened;
}

async function engineWith(environment: Record<string, string>): Promise<Engine> {
  const engine = connectEngine(await engineAccess(readSettings(environment)));
  open.push(engine);
  return engine;
}

const mutualTls = (address: string) => ({
  TEMPORAL_ADDRESS: address,
  TEMPORAL_TLS_SERVER_NAME: GATEWAY_NAME,
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: certificates.paths.authority,
  TEMPORAL_TLS_CLIENT_CERT_PATH: certificates.paths.clientCert,
  TEMPORAL_TLS_CLIENT_KEY_PATH: certificates.paths.clientKey,
});

/** Whether the engine lets in who has these settings, as a client and as a worker. */
async function letsIn(environment: Record<string, string>): Promise<[client: boolean, worker: boolean]> {
  const engine = await engineWith({ TEMPORAL_NAMESPACE: 'default', ...environment });
  const worker = await NativeConnection.connect(engine.access.connection).then(
    async (connection) => {
      await connection.close();
      return true;
    },
    () => false,
  );
  return [await engine.ping(), worker];
}

test('clients and workers show their certificate, and without it they are not let in', async () => {
  const settings = mutualTls((await gateway()).address);
  expect(await letsIn(settings)).toEqual([true, true]);
  const { TEMPORAL_TLS_CLIENT_CERT_PATH: _cert, TEMPORAL_TLS_CLIENT_KEY_PATH: _key, ...stranger } = settings;
  expect(await letsIn(stranger)).toEqual([false, false]);
  const { TEMPORAL_TLS_SERVER_CA_CERT_PATH: _authority, ...trusting } = settings;
  expect(await letsIn(trusting), 'a server whose authority nobody named').toEqual([false, false]);
});

test('an API key is shown over TLS', async () => {
  const { address } = await gateway({ apiKey: 'right' });
  const tls = {
    TEMPORAL_ADDRESS: address,
    TEMPORAL_TLS_SERVER_NAME: GATEWAY_NAME,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: certificates.paths.authority,
  };
  expect(await letsIn({ ...tls, TEMPORAL_API_KEY: 'right' })).toEqual([true, true]);
  expect(await letsIn({ ...tls, TEMPORAL_API_KEY: 'wrong' })).toEqual([false, false]);
});

test('a profile says where and as whom, and what is set wins over it', async () => {
  const { address } = await gateway();
  const { authority, clientCert, clientKey } = certificates.paths;
  const file = join(directory, 'temporal.toml');
  await writeFile(
    file,
    `[profile.fridge]
address = "${address}"
namespace = "fridge.a1b2c"
[profile.fridge.tls]
server_name = "${GATEWAY_NAME}"
server_ca_cert_path = "${authority}"
client_cert_path = "${clientCert}"
client_key_path = "${clientKey}"
`,
  );
  const profile = { TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'fridge' };
  const engine = await engineWith(profile);
  expect(engine.namespace).toBe('fridge.a1b2c');
  expect(await engine.ping()).toBe(true);

  const settings = readSettings({ ...profile, TEMPORAL_ADDRESS: 'other:1', TEMPORAL_NAMESPACE: 'other' });
  expect(settings).toMatchObject({ TEMPORAL_ADDRESS: 'other:1', TEMPORAL_NAMESPACE: 'other' });
  expect((await engineAccess(settings)).connection.address).toBe('other:1');
  expect(() => readSettings({ ...profile, TEMPORAL_PROFILE: 'nobody' })).toThrow(
    /Profile 'nobody' not found/,
  );
});

/** A namespace that an administrator made, on an engine that takes orders from administrators alone. */
async function withoutRights(namespace: string): Promise<Engine> {
  const { address } = await gateway({ denied });
  return engineWith({ ...mutualTls(address), TEMPORAL_NAMESPACE: namespace });
}

async function asAdministrator(...command: string[]): Promise<void> {
  const source = await findEngine('temporal', noReport);
  if (source.kind !== 'program') throw new Error('the tests have no program of their own');
  await promisify(execFile)(source.command, [...command, '--address', target]);
}

/** The command that a message tells an administrator, as a shell takes it apart. */
function commandIn(message: string): string[] {
  return /: temporal (.+?) \(Temporal Cloud/.exec(message)?.[1]?.split(' ') ?? [];
}

async function problemOf(engine: Engine): Promise<string> {
  const thrown: unknown = await prepareEngine(engine).then(
    () => null,
    (error: unknown) => error,
  );
  if (thrown instanceof EngineNotPrepared) return thrown.message;
  throw new Error('nothing was missing', { cause: thrown });
}

test('without rights what is missing is named with the command that makes it, and then the service starts', async () => {
  const namespace = `secured_${newId().slice(0, 8)}`;
  const engine = await withoutRights(namespace);
  const first = await problemOf(engine);
  expect(first).toContain(`There is no namespace ${namespace}`);
  await asAdministrator(...commandIn(first));

  const direct = await Connection.connect({ address: target });
  open.push(direct);
  await eventually(() => direct.workflowService.describeNamespace({ namespace }).catch(() => null));
  const second = await eventually(() => problemOf(engine).catch(() => null));
  expect(second).toContain(`no search attributes ${searchAttributeNames.join(', ')},`);
  await asAdministrator(...commandIn(second));

  await eventually(() =>
    prepareEngine(engine).then(
      () => true,
      () => false,
    ),
  );
});
