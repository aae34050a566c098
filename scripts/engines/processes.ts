import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { engineEnvironment } from './commands.ts';
import { isRunning, listensOn, startTimeOf, stopProcess } from './pids.ts';
import { mongoAnswers, namespaceExists, portAnswers, temporalAnswers } from './probes.ts';
import { recordKind, refuseOtherKind } from './store-kind.ts';
import { ensureUser, type StoreAccess, withUser } from './store-user.ts';
import type { EngineName, EngineProcess, EngineSource } from './types.ts';

export type { EngineProcess };

const HOST = '127.0.0.1';
/**
 * Time limit in ms for an engine or a service to become ready. It is long because a busy or slow machine needs minutes
 * for what takes seconds elsewhere; a process that ends is noticed at once. For a store that rebuilds its indexes after
 * a crash, the limit starts again whenever its log shows progress.
 */
export const START_TIMEOUT_MS = 300_000;
const POLL_MS = 25;
const LOG_LINES_IN_ERROR = 20;
/** Milliseconds that a store has to stop after it refused its user. */
const USELESS_GRACE_MS = 3_000;

/**
 * Measured on two cores: a sequential activity takes 95 ms with the default of 20 polls per second and shard, and 15 ms
 * with 2000. With eager execution, an activity on the workflow's own queue takes 12 ms.
 * Fairness dispatches a backlog of tasks in turns by user.
 */
const TEMPORAL_SETTINGS: Record<string, string> = {
  'history.transferProcessorMaxPollRPS': '2000',
  'history.timerProcessorMaxPollRPS': '2000',
  'history.visibilityProcessorMaxPollRPS': '2000',
  'system.enableActivityEagerExecution': 'true',
  'matching.enableFairness': 'true',
};

export interface TemporalOptions {
  port: number;
  /** If missing, there is no web interface. */
  uiPort?: number;
  /** Port of the Prometheus metrics. If missing, the server chooses one. */
  metricsPort?: number;
  /** If missing, the server loses all data when it stops. */
  databaseFile?: string;
  /** FULL (default): a power failure loses no acknowledged commit. NORMAL saves about 4 ms per commit. */
  synchronous?: 'FULL' | 'NORMAL';
  namespace: string;
  logFile: string;
  /** Additional settings, as JSON values. */
  dynamicConfig?: Record<string, string>;
}

export interface MongoOptions {
  port: number;
  /** Directory for the data. If missing, no data is kept. */
  dataPath?: string;
  /** File with the password of the user `calibron`. If missing, the store is open to every local process. */
  passwordFile?: string;
  logFile: string;
}

/** The engine exited before it was ready, or did not become ready. The message contains the end of its log. */
export class EngineFailed extends Error {
  override readonly name: string = 'EngineFailed';
}

/** Another process uses the port. Retry with another one. */
export class PortTaken extends EngineFailed {
  override readonly name = 'PortTaken';
}

/**
 * Starts a Temporal dev server and waits until its namespace can be described. The server outlives this process and does
 * not receive Ctrl-C of the terminal. For a server given by address, only waits.
 */
export async function startTemporal(source: EngineSource, options: TemporalOptions): Promise<EngineProcess> {
  if (source.kind === 'address') {
    return runningEngine('temporal', source.address, source.origin, temporalAnswers);
  }
  const { port, uiPort, metricsPort, databaseFile } = options;
  const args = [...source.args, 'server', 'start-dev', '--ip', HOST, '--port', String(port)];
  args.push('--namespace', options.namespace, '--log-level', 'warn');
  args.push(...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]));
  if (metricsPort !== undefined) args.push('--metrics-port', String(metricsPort));
  if (databaseFile !== undefined) {
    await mkdir(dirname(databaseFile), { recursive: true });
    args.push('--db-filename', databaseFile, '--sqlite-pragma', 'journal_mode=WAL');
    args.push('--sqlite-pragma', `synchronous=${options.synchronous ?? 'FULL'}`);
  }
  for (const [key, value] of Object.entries({ ...TEMPORAL_SETTINGS, ...options.dynamicConfig })) {
    args.push('--dynamic-config-value', `${key}=${value}`);
  }
  const address = `${HOST}:${port}`;
  const ui = uiPort === undefined ? {} : { uiPort, uiAddress: `http://${HOST}:${uiPort}` };
  return startEngine(
    { name: 'temporal', address, port, ...ui, origin: source.origin, logFile: options.logFile },
    {
      command: source.command,
      args,
      logFile: options.logFile,
      ports: [port, uiPort, metricsPort].filter((each) => each !== undefined),
    },
    () => namespaceExists(address, options.namespace),
  );
}

/** Starts a MongoDB-protocol server and waits until it responds. Otherwise like {@link startTemporal}. */
export async function startMongo(source: EngineSource, options: MongoOptions): Promise<EngineProcess> {
  if (source.kind === 'address') {
    return runningEngine('mongodb', source.address, source.origin, mongoAnswers);
  }
  const { port, logFile } = options;
  const mongod = source.flavour === 'mongod';
  const temporaryPath = mongod && options.dataPath === undefined ? await temporaryDirectory() : undefined;
  const dataPath = options.dataPath ?? temporaryPath;
  const kind = mongod ? 'mongod' : 'mongo-java-server';
  if (dataPath !== undefined) {
    await mkdir(dataPath, { recursive: true });
    await refuseOtherKind(dataPath, kind);
  }
  const args = [...source.args, '--port', String(port)];
  if (mongod) {
    args.push('--bind_ip', HOST, '--dbpath', dataPath ?? '');
    if (options.passwordFile !== undefined) args.push('--auth');
  } else if (dataPath !== undefined) {
    args.push('--file', join(dataPath, 'store.mv'));
  }
  if (!mongod && options.passwordFile !== undefined) args.push('--password-file', options.passwordFile);
  // by default mongod acknowledges writes before they are in its journal; the embedded store never does
  const open = `mongodb://${HOST}:${port}/?directConnection=true${mongod ? '&journal=true' : ''}`;
  const password =
    options.passwordFile === undefined ? null : (await readFile(options.passwordFile, 'utf8')).trim();
  const address = password === null ? open : withUser(open, password);
  try {
    const engine = await startEngine(
      { name: 'mongodb', address, port, origin: source.origin, logFile, temporaryPath },
      { command: source.command, args, logFile, ports: [port], tellsProgress: !mongod },
      // A ping needs no user, and mongod may not have it yet.
      () => mongoAnswers(open),
    );
    if (password !== null) await ensureStoreUser({ open, address, password }, engine);
    // Recorded only after the start, because a program that fails to start leaves no data.
    if (dataPath !== undefined) await recordKind(dataPath, kind);
    return engine;
  } catch (error) {
    await removeTemporary(temporaryPath);
    throw error;
  }
}

/** @throws EngineFailed after stopping the store, if it does not accept the password */
async function ensureStoreUser(store: StoreAccess, engine: EngineProcess): Promise<void> {
  try {
    await ensureUser(store);
  } catch (thrown) {
    await stopEngine(engine, USELESS_GRACE_MS);
    throw new EngineFailed(`mongodb: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

/** Asks the engine to stop, and kills it after the grace period. Does nothing to an engine that we did not start. */
export async function stopEngine(engine: EngineProcess, graceMs: number): Promise<void> {
  if (engine.pid === null) {
    return;
  }
  const gone = await stopProcess({ pid: engine.pid, startTime: engine.startTime }, graceMs);
  if (!gone) {
    throw new Error(`${engine.name} (pid ${engine.pid}) cannot be stopped`);
  }
  await removeTemporary(engine.temporaryPath);
}

/** Whether the engine responds in its own protocol and, if we started it, whether our process is the one that listens. */
export async function isHealthy(engine: EngineProcess): Promise<boolean> {
  if (engine.pid !== null && !answersItself(engine.pid, engine.startTime, engine.port)) {
    return false;
  }
  return engine.name === 'temporal' ? temporalAnswers(engine.address) : mongoAnswers(engine.address);
}

/** A free port on this machine, the preferred one if possible. */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await isFree(preferred))) {
    return preferred;
  }
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, HOST, () => {
      const address = server.address();
      server.close(() => {
        if (address !== null && typeof address === 'object') {
          resolve(address.port);
        } else {
          reject(new Error('the system gave no port'));
        }
      });
    });
  });
}

interface Launch {
  command: string;
  args: string[];
  logFile: string;
  ports: number[];
  /** Whether new log lines indicate progress. Those of mongod do not, because it also logs each connection. */
  tellsProgress?: boolean;
}

async function startEngine(
  engine: Omit<EngineProcess, 'pid' | 'startTime'>,
  launch: Launch,
  ready: () => Promise<boolean>,
): Promise<EngineProcess> {
  for (const port of launch.ports) {
    if (!(await isFree(port))) {
      throw new PortTaken(`${engine.name} cannot start: port ${port} is taken`);
    }
  }
  const logFrom = await sizeOf(launch.logFile);
  const child = spawnDetached(launch);
  const ended = endOf(child);
  const pid = child.pid;
  if (pid === undefined) {
    throw new EngineFailed(`${engine.name} cannot start: ${await ended}`);
  }
  const process = { ...engine, pid, startTime: startTimeOf(pid) };
  let deadline = Date.now() + START_TIMEOUT_MS;
  let seenLogSize = logFrom;
  for (;;) {
    const end = await Promise.race([ended, sleep(POLL_MS, null)]);
    if (end !== null) {
      throw await failure(engine.name, end, launch, logFrom);
    }
    // a foreign server may respond on the port while ours fails because the port is taken
    const up = (await portAnswers(HOST, engine.port)) && answersItself(pid, process.startTime, engine.port);
    if (up && (await ready())) {
      return process;
    }
    if (Date.now() > deadline) {
      const logSize = await sizeOf(launch.logFile);
      if (launch.tellsProgress && logSize > seenLogSize) {
        seenLogSize = logSize;
        deadline = Date.now() + START_TIMEOUT_MS;
        continue;
      }
      await stopProcess(process, 0);
      throw await failure(
        engine.name,
        `did not become ready in ${START_TIMEOUT_MS / 1000} s`,
        launch,
        logFrom,
      );
    }
  }
}

/** Starts a process in its own session and process group, writing to its log file, so that it can outlive ours. */
function spawnDetached(launch: Launch): ChildProcess {
  mkdirSync(dirname(launch.logFile), { recursive: true });
  const log = openSync(launch.logFile, 'a');
  try {
    const child = spawn(launch.command, launch.args, {
      detached: true,
      stdio: ['ignore', log, log],
      env: engineEnvironment(process.env),
    });
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/** Resolves with a description of how the child ended. */
function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) =>
      resolve(code === null ? `ended by ${signal}` : `ended with code ${code}`),
    );
  });
}

async function failure(
  name: EngineName,
  what: string,
  launch: Launch,
  logFrom: number,
): Promise<EngineFailed> {
  const log = (await readFile(launch.logFile)).subarray(logFrom).toString('utf8').trimEnd();
  if (/address already in use/i.test(log)) {
    return new PortTaken(`${name} cannot start: port ${launch.ports.join(' or ')} was taken meanwhile`);
  }
  const end = log.split('\n').slice(-LOG_LINES_IN_ERROR).join('\n  ');
  return new EngineFailed(`${name} ${what}; its log (${launch.logFile}) ends:\n  ${end}`);
}

async function runningEngine(
  name: EngineName,
  address: string,
  origin: string,
  answers: (address: string) => Promise<boolean>,
): Promise<EngineProcess> {
  if (!(await answers(address))) {
    throw new EngineFailed(`${name} does not answer at ${withoutPassword(address)} (${origin})`);
  }
  const port = Number(/:(\d+)(?:\/|$)/.exec(address)?.[1] ?? 0);
  return { name, pid: null, startTime: null, address, port, origin };
}

function withoutPassword(address: string): string {
  return address.replace(/\/\/[^@/]*@/, '//');
}

function answersItself(pid: number, startTime: string | null, port: number): boolean {
  return (startTime === null || isRunning({ pid, startTime })) && listensOn(pid, port);
}

async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(false));
    server.listen(port, HOST, () => server.close(() => resolve(true)));
  });
}

function temporaryDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'calibron-mongod-'));
}

async function removeTemporary(path: string | undefined): Promise<void> {
  if (path !== undefined) {
    await rm(path, { recursive: true, force: true });
  }
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    (found) => found.size,
    () => 0,
  );
}
