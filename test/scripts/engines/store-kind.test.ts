import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { freePort, startMongo, stopEngine } from '../../../scripts/engines/processes.ts';
import {
  findStoreFor,
  recordKind,
  refuseOtherKind,
  StoreKindConflict,
  storeKindOf,
} from '../../../scripts/engines/store-kind.ts';
import type { EngineSource } from '../../../scripts/engines/types.ts';
import { mongodStandIn } from '../../support/mongod-stand-in.ts';

let directory: string;
let dataPath: string;
let lines: string[];
const report = (line: string) => lines.push(line);

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-kind-'));
  dataPath = join(directory, 'mongodb');
  await mkdir(dataPath);
  lines = [];
  vi.stubEnv('MONGODB_URI', '');
  vi.stubEnv('MONGOD_BINARY', '');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true, force: true });
});

test('a directory knows the store that has used it, also one from before the kind was recorded', async () => {
  expect(await storeKindOf(join(directory, 'nowhere'))).toBeUndefined();
  expect(await storeKindOf(dataPath)).toBeUndefined();
  await writeFile(join(dataPath, 'store.mv'), '');
  expect(await storeKindOf(dataPath)).toBe('mongo-java-server');
  await recordKind(dataPath, 'mongo-java-server');
  await writeFile(join(dataPath, 'WiredTiger'), '');
  expect(await storeKindOf(dataPath)).toBe('mongo-java-server');
});

test('data of both kinds without a record of the one in use are refused', async () => {
  await writeFile(join(dataPath, 'store.mv'), '');
  await writeFile(join(dataPath, 'WiredTiger'), '');
  await expect(storeKindOf(dataPath)).rejects.toThrow(/data of mongod and of the embedded store. Move/);
});

test('a mongod that appears on PATH does not hide the data of the embedded store', async () => {
  const first = await findStoreFor(dataPath, report);
  await startAndStop(first);
  await mongodStandIn(directory);
  vi.stubEnv('PATH', `${directory}${delimiter}${process.env['PATH']}`);

  expect(await findStoreFor(dataPath, report)).toMatchObject({ flavour: 'mongo-java-server' });
  expect(lines.join('\n')).toMatch(
    /`mongod` on PATH is not used. .* holds data of the embedded store, which mongod cannot read. .*npm run store -- copy --to mongod/,
  );
});

test('a mongod that the environment names is refused where the data are of the embedded store', async () => {
  const program = await mongodStandIn(directory);
  await recordKind(dataPath, 'mongo-java-server');
  vi.stubEnv('MONGOD_BINARY', program);
  await expect(findStoreFor(dataPath, report)).rejects.toThrow(StoreKindConflict);
  const source: EngineSource = {
    kind: 'program',
    command: program,
    args: [],
    flavour: 'mongod',
    origin: 'test',
  };
  await expect(startAndStop(source)).rejects.toThrow(/npm run store -- copy --to mongod/);
});

test('data of mongod are kept for mongod, and the embedded store is refused', async () => {
  await startAndStop({
    kind: 'program',
    command: await mongodStandIn(directory),
    args: [],
    flavour: 'mongod',
    origin: 'test',
  });
  expect(await storeKindOf(dataPath)).toBe('mongod');
  const withoutMongod = [
    {
      title: 'the cached embedded store',
      flavour: 'mongo-java-server',
      find: () => Promise.reject(new Error()),
    },
  ] as const;
  await expect(findStoreFor(dataPath, report, withoutMongod)).rejects.toThrow(
    /holds data of mongod, and no program for it was found. Install mongod/,
  );
  await expect(refuseOtherKind(dataPath, 'mongo-java-server')).rejects.toThrow(/copy --to embedded/);
});

test('a store that could not start leaves no record of its kind', async () => {
  const broken: EngineSource = {
    kind: 'program',
    command: 'false',
    args: [],
    flavour: 'mongod',
    origin: 'test',
  };
  await expect(startAndStop(broken)).rejects.toThrow();
  expect(await storeKindOf(dataPath)).toBeUndefined();
});

async function startAndStop(source: EngineSource): Promise<void> {
  const engine = await startMongo(source, {
    port: await freePort(),
    dataPath,
    logFile: join(directory, 'log'),
  });
  await stopEngine(engine, 10_000);
}
