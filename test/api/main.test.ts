import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { newId } from '../../shared/ids.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface ApiProcess {
  out(): string;
  err(): string;
  signal(signal: NodeJS.Signals): void;
  /** Waits for its end; the exit code. */
  ended(): Promise<number | null>;
  kill(): Promise<void>;
  /** Waits for the line that says it listens; the address it listens on. */
  listening(): Promise<string>;
}

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
  const child = spawn(process.execPath, ['--import', 'tsx', join(root, 'api/main.ts')], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATA_DIR: directory,
      API_PORT: '0',
      MONGODB_URI: process.env.CALIBRON_TEST_MONGODB,
      MONGODB_DATABASE: database,
      TEMPORAL_ADDRESS: process.env.CALIBRON_TEST_TEMPORAL,
      TEMPORAL_NAMESPACE: database,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    err += String(chunk);
  });
  const exited = once(child, 'exit');
  const started: ApiProcess = {
    out: () => out,
    err: () => err,
    signal: (signal) => void child.kill(signal),
    async ended(): Promise<number | null> {
      await exited;
      return child.exitCode;
    },
    async kill(): Promise<void> {
      if (child.exitCode === null) child.kill('SIGKILL');
      await exited;
    },
    async listening(): Promise<string> {
      for (const limit = Date.now() + 40_000; Date.now() < limit; ) {
        const line = out.split('\n').find((each) => each.includes('"listening"'));
        if (line) {
          const { address, port } = z
            .object({ address: z.string(), port: z.number() })
            .parse(JSON.parse(line));
          return `http://${address}:${port}`;
        }
        if (child.exitCode !== null) break;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`it does not listen: ${out}${err}`);
    },
  };
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
  const sentences = started.err().trim().split('\n');
  expect(sentences).toHaveLength(3);
  for (const name of ['API_PORT', 'TOKEN_SECRET', 'MONGODB_URI']) {
    expect(sentences.some((sentence) => sentence.includes(name))).toBe(true);
  }
  expect(started.err()).not.toContain('too-short');
});

test('a database that is away is one sentence and exit code 1', async () => {
  const started = startProcess({ MONGODB_URI: 'mongodb://127.0.0.1:1' });
  expect(await started.ended()).toBe(1);
  expect(started.err()).toMatch(/^The API cannot start: .*127\.0\.0\.1:1/);
  expect(started.err().trim().split('\n')).toHaveLength(1);
});
