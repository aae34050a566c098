import { rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { credentialSettings } from '../../shared/kernel/engine/connection-settings.ts';
import { compilePrograms } from '../programs.ts';
import { killEngines, onAbruptEnd } from './abrupt-end.ts';
import { judgeReplay, replayLeftHistories } from './left-histories.ts';
import { freePort, PortTaken, startMongo, startTemporal, stopEngine } from './processes.ts';
import { findEngine } from './sources.ts';
import { entryOf, readState, rememberProcess, stillRuns, stopRemembered } from './state.ts';
import type { EngineProcess, Report } from './types.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** `host:port` of the Temporal server of this test run. */
    temporal: string;
    /** `mongodb://` address of the store of this test run. */
    mongodb: string;
  }
}

const NAMESPACE = 'default';
const GRACE_MS = 5_000;
const PORT_ATTEMPTS = 5;
const DIRECTORY_PREFIX = 'calibron-test-';
const STATE_FILE = 'engines.json';
const OWNER = 'test run';

/**
 * Starts one Temporal and one MongoDB-protocol server for the whole run, in memory, on free ports, separate from any
 * running `npm start`. Tests get the addresses by `inject('temporal')`, `inject('mongodb')`, or from
 * CALIBRON_TEST_TEMPORAL and CALIBRON_TEST_MONGODB. CALIBRON_TEST_DIRECTORY is for files shared by several test files. It
 * is removed after the run. CALIBRON_TEST_UI=1 enables Temporal's web interface.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The credentials of the environment belong to another server.
  for (const name of credentialSettings) delete process.env[name];
  const report = (line: string) => console.log(line);
  await stopDeadRuns(report);
  const directory = await mkdtemp(join(tmpdir(), DIRECTORY_PREFIX));
  const stateFile = join(directory, STATE_FILE);
  await rememberProcess(stateFile, entryOf(OWNER, process.pid));
  const engines: EngineProcess[] = [];
  const started = async (starting: Promise<EngineProcess>) => {
    const engine = await starting;
    engines.push(engine);
    await rememberProcess(stateFile, engine);
    return engine;
  };
  const stopAll = async () => {
    await Promise.all(engines.map((engine) => stopEngine(engine, GRACE_MS)));
    engines.length = 0;
    // Test processes that are ending may still write there.
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  };
  onAbruptEnd(() => {
    killEngines(engines);
    rmSync(directory, { recursive: true, force: true });
  });
  const compiling = compilePrograms();
  const startingMongo = started(startRunsMongo(directory, report));
  const startingTemporal = started(startRunsTemporal(directory, report));
  try {
    const [mongo, temporal] = await Promise.all([startingMongo, startingTemporal, compiling]);
    if (temporal.uiAddress !== undefined) {
      report(`temporal: web interface at ${temporal.uiAddress}`);
    }
    project.provide('temporal', temporal.address);
    project.provide('mongodb', mongo.address);
    process.env.CALIBRON_TEST_TEMPORAL = temporal.address;
    process.env.CALIBRON_TEST_MONGODB = mongo.address;
    process.env.CALIBRON_TEST_DIRECTORY = directory;
    return async () => {
      try {
        report(judgeReplay(await replayLeftHistories(temporal.address, directory)));
      } finally {
        await stopAll();
      }
    };
  } catch (error) {
    // Wait for everything that is still starting, so that it can be stopped.
    await Promise.allSettled([startingMongo, startingTemporal, compiling]);
    await stopAll();
    throw error;
  }
}

async function startRunsMongo(directory: string, report: Report): Promise<EngineProcess> {
  const source = await findEngine('mongodb', report);
  if (source.kind === 'address') {
    report('mongodb: tests that start, kill or restart a store of their own are skipped');
  }
  return withFreePort((port) => startMongo(source, { port, logFile: join(directory, 'mongodb.log') }));
}

async function startRunsTemporal(directory: string, report: Report): Promise<EngineProcess> {
  const source = await findEngine('temporal', report);
  return withFreePort(async (port) =>
    startTemporal(source, {
      port,
      uiPort: process.env.CALIBRON_TEST_UI ? await freePort() : undefined,
      namespace: NAMESPACE,
      logFile: join(directory, 'temporal.log'),
    }),
  );
}

/** Stops engines left by killed test runs, because engines outlive their run. */
async function stopDeadRuns(report: (line: string) => void): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(DIRECTORY_PREFIX)) {
      continue;
    }
    const directory = join(tmpdir(), name);
    const processes = await readState(join(directory, STATE_FILE));
    const owner = processes.find((process) => process.name === OWNER);
    if (owner !== undefined && !stillRuns(owner)) {
      report(`stopping the engines of a test run that was killed (${name})`);
      await Promise.all(processes.map((process) => stopRemembered(process, GRACE_MS)));
      await rm(directory, { recursive: true, force: true });
    }
  }
}

/** Retries with another port, because a process may take the port between our choice and the engine's start. */
async function withFreePort(start: (port: number) => Promise<EngineProcess>): Promise<EngineProcess> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (!(error instanceof PortTaken) || attempt === PORT_ATTEMPTS) {
        throw error;
      }
    }
  }
}
