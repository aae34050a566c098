import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readSettings, type Settings, settingsSchema } from '../../shared/domain/settings.ts';
import { credentialSettings } from '../../shared/kernel/engine/connection-settings.ts';
import { connectEngine, type Engine, engineAccess } from '../../shared/kernel/engine/temporal.ts';
import { backendQueue, SYSTEM_QUEUE } from '../../shared/kernel/engine/workflow-ids.ts';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import { SIMULATOR_BACKEND } from '../../shared/tasks/model.ts';
import { listensOn, stopProcess } from '../engines/pids.ts';
import { PortTaken, START_TIMEOUT_MS } from '../engines/processes.ts';
import { entryOf, type RememberedProcess, rememberProcess } from '../engines/state.ts';
import { processMemory } from '../process-memory.ts';
import { programs } from '../programs.ts';
import { closedBeyondLoopback } from './beyond-loopback.ts';
import { logFileOf, type ProgramName } from './data-directory.ts';
import { choosePort, setPort } from './ports.ts';
import { serviceMark } from './process-table.ts';
import type { ServiceContext } from './service-context.ts';
import type { Service } from './services.ts';
import { stopGrace } from './stop-grace.ts';

const ROOT = fileURLToPath(packageRoot);
/** Time limit in ms for a running process to show that it serves. */
const ADOPT_TIMEOUT_MS = 5_000;
const POLL_MS = 100;
const ANSWER_TIMEOUT_MS = 3_000;
const PORT_ATTEMPTS = 5;
const LOG_LINES_IN_ERROR = 8;
/** The engine's enum value for activity task queues. */
const ACTIVITY_QUEUE = 2;
/** Folders whose code runs in the API or in a worker. */
const SOURCES = ['api', 'workers', 'workflows', 'activities', 'shared', 'config'];

/** A service exited before it was ready. The message contains the end of its log. */
class ServiceFailed extends Error {
  override readonly name = 'ServiceFailed';
}

/** @param sign path that responds with 200 when the API serves */
export function apiService(context: ServiceContext, sign: '/readyz' | '/healthz' = '/readyz'): Service {
  const { settings, report } = context;
  const addressOf = (port: number) => `http://${shownHost(settings.API_HOST)}:${port}`;

  async function serves(service: RememberedProcess): Promise<boolean> {
    if (service.pid === null || !listensOn(service.pid, service.port)) return false;
    return answersWith200(`${service.address}${sign}`);
  }

  return {
    name: 'api',
    title: 'the API',
    graceMs: stopGrace(settings),
    elsewhere: false,
    isFit: async (recorded) => isCurrent(recorded, context) && (await eventually(() => serves(recorded))),
    async start(previous) {
      const isSet = process.env.API_PORT && settings.API_PORT !== 0;
      for (let attempt = 1; ; attempt += 1) {
        const port = isSet
          ? await setPort('the API', 'API_PORT', settings.API_PORT)
          : await choosePort('the API', attempt === 1 ? [previous?.port, settings.API_PORT] : [], report, {
              remembered: previous?.port,
            });
        try {
          return await startService('api', context, { port, address: addressOf(port), serves });
        } catch (error) {
          if (!(error instanceof PortTaken) || attempt === PORT_ATTEMPTS) throw error;
        }
      }
    },
  };
}

export function workerService(context: ServiceContext): Service {
  return queueService(context, 'worker', 'the worker', context.settings.WORKER_QUEUES);
}

/** The simulated instrument of the demonstration, which serves the simulator instead of the worker. */
export function instrumentService(context: ServiceContext): Service {
  return queueService(context, 'instrument', 'the instrument', [backendQueue(SIMULATOR_BACKEND)]);
}

export function updaterService(context: ServiceContext): Service {
  return queueService(context, 'updater', 'the updater', [SYSTEM_QUEUE]);
}

/** A service that polls task queues of the engine. */
function queueService(
  context: ServiceContext,
  name: 'worker' | 'instrument' | 'updater',
  title: string,
  queues: readonly string[],
): Service {
  const { addresses, settings } = context;
  let connected: { address: string; engine: Promise<Engine> } | undefined;

  function engineNow(): Promise<Engine> {
    if (connected?.address !== addresses.temporal) {
      connected?.engine.then((engine) => engine.close()).catch(() => {});
      const address = addresses.temporal;
      const there = readSettings(environmentOf(context, 0));
      connected = { address, engine: engineAccess(there).then(connectEngine) };
    }
    return connected.engine;
  }

  /** The service is ready when the engine has seen it poll each of its queues. */
  async function serves(service: RememberedProcess): Promise<boolean> {
    try {
      const engine = await engineNow();
      const asking = await Promise.all(
        queues.map(async (queue) => {
          const { pollers } = await engine.connection.withDeadline(Date.now() + ANSWER_TIMEOUT_MS, () =>
            engine.connection.workflowService.describeTaskQueue({
              namespace: engine.namespace,
              taskQueue: { name: queue },
              taskQueueType: ACTIVITY_QUEUE,
            }),
          );
          return pollers?.some(({ identity }) => identity === `${service.pid}@${hostname()}`) ?? false;
        }),
      );
      return asking.every(Boolean);
    } catch {
      return false;
    }
  }

  return {
    name,
    title,
    graceMs: stopGrace(settings),
    elsewhere: false,
    isFit: async (recorded) => isCurrent(recorded, context) && (await eventually(() => serves(recorded))),
    start: () => startService(name, context, { port: 0, address: '', serves }),
  };
}

interface Launch {
  port: number;
  address: string;
  serves(service: RememberedProcess): Promise<boolean>;
}

/** Starts a service in its own process group, records it, and waits until it serves. */
async function startService(
  name: ProgramName,
  context: ServiceContext,
  launch: Launch,
): Promise<RememberedProcess> {
  const { directory } = context;
  const logFile = logFileOf(directory, name);
  const log = openSync(logFile, 'a');
  const logFrom = statSync(logFile).size;
  let child: ChildProcess;
  try {
    child = spawn(process.execPath, [programs[name], serviceMark(directory, name)], {
      detached: true,
      stdio: ['ignore', log, log],
      env: environmentOf(context, launch.port),
    });
  } finally {
    closeSync(log);
  }
  child.unref();
  let end: string | null = null;
  child.once('error', (error) => {
    end = `cannot start: ${error.message}`;
  });
  child.once('exit', (code, signal) => {
    end = code === null ? `was ended by ${signal}` : `ended with code ${code}`;
  });
  const started = entryOf(name, child.pid ?? 0, {
    address: launch.address,
    port: launch.port,
    origin: fingerprint(context),
    logFile,
  });
  await rememberProcess(directory.stateFile, started);
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await launch.serves(started))) {
    if (end !== null) throw failure(name, end, logFile, logFrom);
    if (Date.now() > deadline) {
      await stopProcess({ pid: started.pid ?? 0, startTime: started.startTime }, 0);
      throw failure(name, `did not become ready in ${START_TIMEOUT_MS / 1000} s`, logFile, logFrom);
    }
    await sleep(POLL_MS);
  }
  return started;
}

/** The environment of our programs. */
export function environmentOf(
  { settings, directory, addresses }: ServiceContext,
  apiPort: number,
): NodeJS.ProcessEnv {
  const client = consoleAddress(settings, apiPort || Number(portOf(addresses.api)) || settings.API_PORT);
  return {
    ...processMemory,
    TASK_PICTURES: 'on_request',
    ...process.env,
    ...closedBeyondLoopback(settings.API_HOST, process.env),
    // The credentials of the environment do not belong to the server started here.
    ...(process.env.TEMPORAL_ADDRESS ? {} : Object.fromEntries(credentialSettings.map((name) => [name, '']))),
    DATA_DIR: directory.root,
    CALIB_DATA_PATH: settings.CALIB_DATA_PATH,
    TEMPORAL_ADDRESS: addresses.temporal,
    TEMPORAL_UI_URL: addresses.temporalUi,
    MONGODB_URI: addresses.mongodb,
    WORKER_QUEUES: settings.WORKER_QUEUES.join(','),
    API_PORT: String(apiPort),
    ...(client !== null && { CLIENT_URL: client }),
  };
}

/** Where the console of an API on this port is; null if a setting has the address of clients. */
export function consoleAddress(settings: Settings, apiPort: number): string | null {
  if (process.env.CLIENT_URL || settings.PUBLIC_URL !== undefined || settings.CONSOLE === 'off') return null;
  // Browsers allow passkeys on localhost, and not on an address of numbers.
  const host = settings.API_HOST === '127.0.0.1' ? 'localhost' : shownHost(settings.API_HOST);
  return `http://${host}:${apiPort}/console/`;
}

/** The host of an address at which a server that listens on `apiHost` is reached from this machine. */
function shownHost(apiHost: string): string {
  if (['0.0.0.0', '::'].includes(apiHost)) return 'localhost';
  return apiHost.includes(':') ? `[${apiHost}]` : apiHost;
}

function portOf(address: string): string {
  return URL.canParse(address) ? new URL(address).port : '';
}

/** Whether a process of an earlier start runs this code with these settings and engines. */
function isCurrent(recorded: RememberedProcess, context: ServiceContext): boolean {
  return recorded.origin === fingerprint(context);
}

/** Digest of code, settings and engines of a service. Excludes the administrator's password, which is used only once. */
function fingerprint({ settings, addresses }: ServiceContext): string {
  const { api: _itself, ...engines } = addresses;
  const hash = createHash('sha256').update(
    JSON.stringify([engines, settings.DATA_DIR, settings.WORKER_QUEUES]),
  );
  for (const name of Object.keys(settingsSchema.shape)) {
    if (name !== 'ADMIN_PASSWORD') hash.update(`${name}=${process.env[name] ?? ''}\n`);
  }
  hash.update(readFileSync(join(ROOT, 'package-lock.json')));
  for (const folder of SOURCES) {
    const files = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => join(file.parentPath, file.name));
    for (const file of files.sort()) hash.update(file).update(readFileSync(file));
  }
  return `npm start, ${hash.digest('hex').slice(0, 16)}`;
}

function failure(name: string, what: string, logFile: string, logFrom: number): Error {
  const log = readFileSync(logFile).subarray(logFrom).toString('utf8').trimEnd();
  const lines = log.split('\n').slice(-LOG_LINES_IN_ERROR);
  const message = [`the ${name === 'api' ? 'API' : name} ${what}; its log (${logFile}) ends:`, ...lines].join(
    '\n  ',
  );
  return log.includes('EADDRINUSE') ? new PortTaken(message) : new ServiceFailed(message);
}

async function eventually(look: () => Promise<boolean>): Promise<boolean> {
  for (const deadline = Date.now() + ADOPT_TIMEOUT_MS; ; await sleep(POLL_MS)) {
    if (await look()) return true;
    if (Date.now() > deadline) return false;
  }
}

async function answersWith200(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}
