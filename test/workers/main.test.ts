import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { programs } from '../../scripts/programs.ts';
import { newId } from '../../shared/kernel/new-ids.ts';

const NOBODY = '127.0.0.1:1';
const database = `worker_main_${newId().slice(0, 8)}`;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-worker-main-'));
});
afterAll(async () => {
  const client = await MongoClient.connect(process.env.CALIBRON_TEST_MONGODB ?? '');
  await client.db(database).dropDatabase();
  await client.close();
  await rm(directory, { recursive: true, force: true });
});

/** Starts a worker that cannot serve. @returns its exit code and what it says of it */
function failedStart(environment: Record<string, string>): Promise<{ code: unknown; says: string }> {
  const env = {
    ...process.env,
    MONGODB_URI: process.env.CALIBRON_TEST_MONGODB,
    MONGODB_DATABASE: database,
    DATA_DIR: directory,
    TOKEN_SECRET: 'a secret that is long enough for a test',
    ...environment,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [programs.worker], { env }, (error, _, says) =>
      resolve({ code: error?.code, says: says.trim() }),
    );
  });
}

test.concurrent.each([
  ['the store', { MONGODB_URI: `mongodb://${NOBODY}` }],
  ['Temporal', { TEMPORAL_ADDRESS: NOBODY }],
])('a worker that cannot reach %s ends with one message that says so', async (name, environment) => {
  const { code, says } = await failedStart(environment);
  expect(code).toBe(1);
  expect(says).toContain(`The workers cannot reach ${name}: `);
  expect(says).toContain(NOBODY);
  expect(says.split('\n')).toHaveLength(1);
});
