import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newId } from '../../shared/kernel/new-ids.ts';
import { type ApiProcess, startApiProcess } from './api-process.ts';

let directory: string;
const database = `main_${newId().slice(0, 8)}`;
const running: ApiProcess[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-main-'));
});
afterEach(async () => {
  for (const each of running.splice(0)) await each.kill();
});
afterAll(async () => {
  const client = await MongoClient.connect(process.env.CALIBRON_TEST_MONGODB ?? '');
  await client.db(database).dropDatabase();
  await client.close();
  await rm(directory, { recursive: true, force: true });
});

function startProcess(environment: Record<string, string>): ApiProcess {
  const started = startApiProcess({
    DATA_DIR: directory,
    MONGODB_DATABASE: database,
    TEMPORAL_NAMESPACE: database,
    ...environment,
  });
  running.push(started);
  return started;
}

async function login(address: string, username: string, password: string): Promise<number> {
  const answer = await fetch(`${address}/auth/login`, {
    method: 'POST',
    body: new URLSearchParams({ username, password }),
  });
  return answer.status;
}

test('the first of two processes makes the administrator, shows the password once, and both stop cleanly', async () => {
  const environment = { ADMIN_USERNAME: 'first.admin' };
  const processes = [startProcess(environment), startProcess(environment)];
  const addresses = await Promise.all(processes.map((each) => each.listening()));
  const shown = processes.flatMap((each) => [
    ...each.err().matchAll(/administrator (\S+) .* password (\S{18}) /g),
  ]);
  expect(shown).toHaveLength(1);
  const [, username = '', password = ''] = shown[0] ?? [];
  expect(username).toBe('first.admin');
  for (const address of addresses) expect(await login(address, username, password)).toBe(200);
  const files = await readdir(directory);
  expect(files).toEqual(['token-secret']);
  expect(await readFile(join(directory, 'token-secret'), 'utf8')).not.toContain(password);
  for (const each of processes) {
    const logged = each
      .out()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    expect(logged.join('\n')).not.toContain(password);
    each.signal('SIGTERM');
  }
  expect(await Promise.all(processes.map((each) => each.ended()))).toEqual([0, 0]);

  const again = startProcess(environment);
  await again.listening();
  expect(again.err()).not.toContain('password');
  again.signal('SIGINT');
  expect(await again.ended()).toBe(0);
});

test('wrong settings are named one by one, without their values', async () => {
  const started = startProcess({ API_PORT: 'eighty', TOKEN_SECRET: 'too-short', MONGODB_URI: 'http://x' });
  expect(await started.ended()).toBe(1);
  const messages = started.err().trim().split('\n');
  expect(messages).toHaveLength(3);
  for (const name of ['API_PORT', 'TOKEN_SECRET', 'MONGODB_URI']) {
    expect(messages.some((message) => message.includes(name))).toBe(true);
  }
  expect(started.err()).not.toContain('too-short');
});

test('a database that is away is one message and exit code 1', async () => {
  const started = startProcess({ MONGODB_URI: 'mongodb://127.0.0.1:1' });
  expect(await started.ended()).toBe(1);
  expect(started.err()).toMatch(/^The API cannot start: .*127\.0\.0\.1:1/);
  expect(started.err().trim().split('\n')).toHaveLength(1);
});

test('an engine that is away keeps it from nothing that needs no engine', async () => {
  const started = startProcess({
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    ADMIN_USERNAME: 'first.admin',
    ADMIN_PASSWORD: 'correct horse battery',
  });
  const address = await started.listening();
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  expect((await fetch(`${address}/docs/`)).status).toBe(200);
  const readiness = await fetch(`${address}/readyz`);
  expect(readiness.status).toBe(503);
  expect(await readiness.json()).toMatchObject({ status: 'unavailable', store: true, engine: false });
  started.signal('SIGTERM');
  expect(await started.ended()).toBe(0);
});
