import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { killEngines } from '../../../scripts/engines/abrupt-end.ts';
import { mongodbCandidates, temporalCandidates } from '../../../scripts/engines/candidates.ts';
import { isAlive } from '../../../scripts/engines/pids.ts';
import {
  EngineFailed,
  freePort,
  isHealthy,
  PortTaken,
  startMongo,
  startTemporal,
  stopEngine,
} from '../../../scripts/engines/processes.ts';
import { findEngine } from '../../../scripts/engines/sources.ts';
import { adoptOrStart, rememberProcess } from '../../../scripts/engines/state.ts';
import { type EngineProcess, type EngineSource, noReport } from '../../../scripts/engines/types.ts';
import { testWithOwnStore } from '../../support/own-store-tests.ts';

const GRACE_MS = 10_000;

let directory: string;
let started: EngineProcess[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-processes-'));
  started = [];
});

afterEach(async () => {
  await Promise.all(started.map((engine) => stopEngine(engine, GRACE_MS)));
  await rm(directory, { recursive: true, force: true });
});

test('a Temporal server with a database file knows after a kill -9 what it knew before', async () => {
  const databaseFile = join(directory, 'temporal.db');
  const first = await temporal({ databaseFile, namespace: 'before' });
  killEngines([first]);
  const second = await temporal({ databaseFile, namespace: 'after' });
  expect(await namespacesOf(second)).toEqual(expect.arrayContaining(['before', 'after']));
});

test('an engine is the leader of its own process group, out of reach of the terminal', async () => {
  const { pid } = await temporal({ namespace: 'lab' });
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [, , group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  expect([group, session]).toEqual([String(pid), String(pid)]);
});

testWithOwnStore('stopping ends the process, and only then is it unhealthy', async () => {
  const engine = await mongo();
  expect(await isHealthy(engine)).toBe(true);
  await stopEngine(engine, GRACE_MS);
  expect(isAlive(engine.pid ?? 0)).toBe(false);
  expect(await isHealthy(engine)).toBe(false);
});

test('an engine is not healthy if another process answers on its port', async () => {
  const [one, other] = await Promise.all([mongo(), mongo()]);
  const { address, port } = other;
  expect(await isHealthy({ ...one, address, port })).toBe(false);
  expect(await isHealthy({ ...one, startTime: 'of an earlier process' })).toBe(false);
  expect(await isHealthy(one)).toBe(true);
});

testWithOwnStore('a running engine is adopted by its record, a dead one replaced', async () => {
  const file = join(directory, 'engines.json');
  const running = await mongo();
  await rememberProcess(file, running);
  const adopt = () =>
    adoptOrStart(file, 'mongodb', {
      healthy: (recorded) => isHealthy({ ...recorded, name: 'mongodb' }),
      start: mongo,
      graceMs: GRACE_MS,
    });
  expect(await adopt()).toMatchObject({ adopted: true, process: { pid: running.pid } });
  killEngines([running]);
  const replaced = await adopt();
  expect(replaced.adopted).toBe(false);
  expect(await isHealthy({ ...replaced.process, name: 'mongodb' })).toBe(true);
});

test('a server at an address is used as it is and never stopped', async () => {
  const source: EngineSource = { kind: 'address', address: inject('mongodb'), origin: 'the environment' };
  const engine = await startMongo(source, { port: 1, logFile: join(directory, 'log') });
  expect(engine).toMatchObject({ pid: null, address: inject('mongodb') });
  await stopEngine(engine, 0);
  expect(await isHealthy(engine)).toBe(true);
});

test('a server at an address that does not answer is named without its password', async () => {
  const address = `mongodb://me:secret@127.0.0.1:${await freePort()}`;
  const source: EngineSource = { kind: 'address', address, origin: 'the environment' };
  const start = startMongo(source, { port: 1, logFile: join(directory, 'log') });
  await expect(start).rejects.toThrow(/^mongodb does not answer at mongodb:\/\/127/);
});

testWithOwnStore('a port that is taken is told apart from other failures', async () => {
  const { port } = await mongo();
  await expect(mongo(port)).rejects.toThrow(PortTaken);
});

test('an engine that dies early is reported with the end of its log', async () => {
  const source: EngineSource = {
    kind: 'program',
    command: process.execPath,
    args: ['--eval', 'console.error("the disk is full"); process.exit(7);', '--'],
    flavour: 'mongod',
    origin: 'a test',
  };
  const start = startMongo(source, { port: await freePort(), logFile: join(directory, 'log') });
  await expect(start).rejects.toThrow(EngineFailed);
  await expect(start).rejects.toThrow(/ended with code 7; its log .* ends:\n {2}the disk is full$/);
});

test('a program that cannot be started is reported', async () => {
  const source: EngineSource = {
    kind: 'program',
    command: join(directory, 'nothing'),
    args: [],
    flavour: 'temporal',
    origin: 'a test',
  };
  const start = startTemporal(source, {
    port: await freePort(),
    namespace: 'lab',
    logFile: join(directory, 'log'),
  });
  await expect(start).rejects.toThrow(/temporal cannot start: .*nothing/);
});

test('a preferred port is given if it is free, otherwise another one', async () => {
  const preferred = await freePort();
  expect(await freePort(preferred)).toBe(preferred);
  const server = createServer().listen(preferred, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  expect(await freePort(preferred)).not.toBe(preferred);
  server.close();
});

/** Of our own: a server that somebody else runs, named in the environment, is left alone. */
async function temporal(options: { namespace: string; databaseFile?: string }): Promise<EngineProcess> {
  const source = await findEngine('temporal', noReport, temporalCandidates().slice(1));
  return begun(
    await startTemporal(source, {
      ...options,
      port: await freePort(),
      synchronous: 'NORMAL',
      logFile: join(directory, 'temporal.log'),
    }),
  );
}

async function mongo(port?: number): Promise<EngineProcess> {
  const source = await findEngine('mongodb', noReport, mongodbCandidates().slice(1));
  return begun(
    await startMongo(source, { port: port ?? (await freePort()), logFile: join(directory, 'mongodb.log') }),
  );
}

function begun(engine: EngineProcess): EngineProcess {
  started.push(engine);
  return engine;
}

async function namespacesOf({ address }: EngineProcess): Promise<(string | null | undefined)[]> {
  const connection = await Connection.connect({ address });
  const { namespaces } = await connection.workflowService.listNamespaces({});
  await connection.close();
  return namespaces.map(({ namespaceInfo }) => namespaceInfo?.name);
}
