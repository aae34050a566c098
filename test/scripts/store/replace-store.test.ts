import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findStoreFor, storeKindOf } from '../../../scripts/engines/store-kind.ts';
import { noReport } from '../../../scripts/engines/types.ts';
import { finishReplacement, replaceStore, withStore } from '../../../scripts/store/replace-store.ts';
import { mongodStandIn } from '../../support/mongod-stand-in.ts';

let directory: string;
let dataPath: string;
const logFile = () => join(directory, 'log');

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-replace-'));
  dataPath = join(directory, 'mongodb');
  vi.stubEnv('MONGODB_URI', '');
  vi.stubEnv('MONGOD_BINARY', '');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true, force: true });
});

async function openStore() {
  return { source: await findStoreFor(dataPath, noReport), dataPath, logFile: logFile() };
}

test('the data of the embedded store are there in a mongod, and the earlier store stays beside it', async () => {
  await withStore(await openStore(), (client) => client.db('lab').collection('chips').insertOne({ n: 7 }));
  vi.stubEnv('MONGOD_BINARY', await mongodStandIn(directory));

  const earlier = await replaceStore({ dataPath, kind: 'mongod', logFile: logFile() }, noReport);

  expect(await storeKindOf(dataPath)).toBe('mongod');
  expect(await storeKindOf(earlier)).toBe('mongo-java-server');
  await withStore(await openStore(), async (client) => {
    expect(await client.db('lab').collection('chips').findOne()).toMatchObject({ n: 7 });
  });
  await replaceStore({ dataPath, kind: 'mongo-java-server', logFile: logFile() }, noReport);
  expect(await storeKindOf(dataPath)).toBe('mongo-java-server');
});

test('a replacement that was interrupted between its renames is finished', async () => {
  await withStore(await openStore(), (client) => client.db('lab').collection('chips').insertOne({ n: 7 }));
  await rename(dataPath, `${dataPath}.complete`);
  await finishReplacement(dataPath);
  expect(existsSync(`${dataPath}.complete`)).toBe(false);
  await withStore(await openStore(), async (client) => {
    expect(await client.db('lab').collection('chips').findOne()).toMatchObject({ n: 7 });
  });
  expect(await finishReplacement(dataPath)).toBeUndefined();
});

test('there is nothing to copy from an empty directory, or to the same kind', async () => {
  const options = { dataPath, kind: 'mongo-java-server', logFile: logFile() } as const;
  await expect(replaceStore(options, noReport)).rejects.toThrow(/holds no data/);
  await withStore(await openStore(), (client) => client.db('lab').collection('chips').insertOne({ n: 7 }));
  await expect(replaceStore(options, noReport)).rejects.toThrow(/already holds data of the embedded store/);
});
