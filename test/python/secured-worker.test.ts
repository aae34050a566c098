import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readSettings } from '../../shared/domain/settings.ts';
import { activityPollers } from '../../shared/kernel/engine/pollers.ts';
import { connectEngine, type Engine, engineAccess } from '../../shared/kernel/engine/temporal.ts';
import { backendQueue } from '../../shared/kernel/engine/workflow-ids.ts';
import { eventually } from '../support/laboratory.ts';
import { pythonVersion } from '../support/python.ts';
import { INSTALLS_WITHIN, pythonFolder, pythonForPackage } from '../support/python-package.ts';
import {
  type Certificates,
  GATEWAY_NAME,
  makeCertificates,
  openGateway,
} from '../support/secured-gateway.ts';

const target = process.env['CALIBRON_TEST_TEMPORAL'] ?? 'unset';
const version = await pythonVersion();
/** Milliseconds that a worker in Python may take to start on a busy machine. */
const PATIENCE = 90_000;

describe.skipIf(version === null)('a worker in Python of a secured Temporal', () => {
  let directory: string;
  let certificates: Certificates;
  let interpreter: string;
  let engine: Engine;
  const opened: { close(): Promise<unknown> }[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'calibron-secured-worker-'));
    certificates = await makeCertificates(directory);
    interpreter = await pythonForPackage(version ?? '');
    const settings = readSettings({ TEMPORAL_ADDRESS: target, TEMPORAL_NAMESPACE: 'default' });
    engine = connectEngine(await engineAccess(settings));
  }, INSTALLS_WITHIN);
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each.close();
  });
  afterAll(async () => {
    await engine?.close();
    await rm(directory, { recursive: true, force: true });
  });

  async function gateway(rules?: Parameters<typeof openGateway>[2]): Promise<string> {
    const made = await openGateway(target, certificates, rules);
    opened.push(made);
    return made.address;
  }

  /** Starts a worker with these variables. */
  async function serve(environment: Record<string, string>) {
    const path = join(directory, `worker-${opened.length}.log`);
    const log = await open(path, 'w');
    const child = spawn(interpreter, ['-m', 'calibron.command.main', 'backend', 'serve', 'fridge:backend'], {
      env: {
        PATH: process.env['PATH'],
        HOME: directory,
        PYTHONPATH: [join(pythonFolder, 'src'), join(pythonFolder, 'tests')].join(':'),
        PYTHONDONTWRITEBYTECODE: '1',
        TEMPORAL_NAMESPACE: 'default',
        TEMPORAL_TLS_SERVER_NAME: GATEWAY_NAME,
        TEMPORAL_TLS_SERVER_CA_CERT_PATH: certificates.paths.authority,
        ...environment,
      },
      stdio: ['ignore', log.fd, log.fd],
    });
    await log.close();
    const exited = once(child, 'exit');
    opened.push({
      async close() {
        child.kill('SIGKILL');
        await exited;
      },
    });
    return {
      asksForWork: async () => {
        const polling = await activityPollers(engine, backendQueue('fridge-1'));
        return polling.some((identity) => identity.startsWith(`fridge-1:${child.pid}@`));
      },
      said: (message: string) => async () => (await readFile(path, 'utf8')).includes(message),
    };
  }

  test('shows its certificate', async () => {
    const worker = await serve({
      TEMPORAL_ADDRESS: await gateway(),
      TEMPORAL_TLS_CLIENT_CERT_PATH: certificates.paths.clientCert,
      TEMPORAL_TLS_CLIENT_KEY_PATH: certificates.paths.clientKey,
    });
    await eventually(worker.asksForWork, PATIENCE);
  });

  test('shows its API key, and waits with a message while the key is wrong', async () => {
    const TEMPORAL_ADDRESS = await gateway({ apiKey: 'right' });
    const wrong = await serve({ TEMPORAL_ADDRESS, TEMPORAL_API_KEY: 'wrong' });
    await eventually(wrong.said('does not answer yet'), PATIENCE);
    expect(await wrong.asksForWork()).toBe(false);
    const worker = await serve({ TEMPORAL_ADDRESS, TEMPORAL_API_KEY: 'right' });
    await eventually(worker.asksForWork, PATIENCE);
  });
});
