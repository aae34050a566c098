import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { FaultRule } from '../../../../activities/backends/simulator/faults.ts';
import { freePort } from '../../../../scripts/engines/processes.ts';
import { type OwnProcess, openLaboratory } from '../../../support/laboratory.ts';
import { openOwnEngine } from '../../../support/own-engine.ts';
import { openOwnStore } from '../../../support/own-store.ts';
import { startPythonBackend } from '../../../support/python-backend.ts';
import { openProxy, type TcpProxy } from '../../../support/tcp-proxy.ts';

export const administrator = { username: 'admin', password: 'correct horse battery' };

/** Milliseconds at most before what was killed comes back. */
const AWAY = 1000;
/** Milliseconds at most for which the engine is frozen. */
const FROZEN = 15_000;
/** How much longer than a lost worker goes unnoticed a worker is cut off at most. */
const CUT = 1.5;

/** What is killed, and how it comes back. */
export interface KillTarget {
  name: string;
  kill(): unknown;
  comeBack(): unknown;
  /** Milliseconds at most that it stays away, and its start on top. */
  away: number;
}

export type KillTargets = Awaited<ReturnType<typeof openKillTargets>>;

/** Backends that runs of a kill test use: one of our host in processes of its own, one of docs/backend_worker.py. */
export const PYTHON_BACKEND = 'fridge-1';

export interface KillOptions {
  /** Seconds by which a lost worker is noticed. */
  heartbeatTimeout: number;
  /** Seconds that a measurement takes at most; each draws its own from 0 on. */
  longestMeasurement: number;
  /** Version of the Python that runs a backend, null where there is none. */
  python: string | null;
}

/**
 * A laboratory with an engine, a store, an API, two workers that keep records and, in processes of their own, what measures:
 * two hosts of the simulator and a worker in Python. Each can be killed and frozen, as can each connection of them to
 * engine and store be cut and held up.
 */
export async function openKillTargets({ heartbeatTimeout, longestMeasurement, python }: KillOptions) {
  const apiPort = await freePort();
  const [engine, store] = await Promise.all([openOwnEngine(), openOwnStore()]);
  const storeHost = new URL(store.address).host;
  const lab = await openLaboratory({
    TEMPORAL_ADDRESS: engine.address,
    MONGODB_URI: store.address,
    MEASURE_HEARTBEAT_TIMEOUT: String(heartbeatTimeout),
    API_PORT: String(apiPort),
    ADMIN_USERNAME: administrator.username,
    ADMIN_PASSWORD: administrator.password,
    RATE_LIMIT_TOKEN: '1000000',
    PROJECTS_PER_USER: '1000000',
  });
  await lab.setFaults({ rules: measurementTimes(longestMeasurement) });
  await mkdir(lab.settings.CONFIG_PATH, { recursive: true });
  await writeFile(
    join(lab.settings.CONFIG_PATH, 'backends.json'),
    JSON.stringify({ backends: { simulator: {}, [PYTHON_BACKEND]: {} } }),
  );

  const engines: readonly KillTarget[] = [
    { name: 'Temporal', away: AWAY, kill: () => engine.kill(), comeBack: () => engine.comeBack() },
    { name: 'Temporal frozen', away: FROZEN, kill: () => engine.freeze(), comeBack: () => engine.thaw() },
    { name: 'store', away: AWAY, kill: () => store.kill(), comeBack: () => store.comeBack() },
  ];
  /** What is away at the moment. */
  const away = new Set<KillTarget>();
  /** Processes that ended before anybody killed them. */
  const endedAlone: string[] = [];
  /** What processes logged of requests that they answered with 500. */
  const answered500: string[] = [];

  /** A connection that is cut and held up in turn: its ends hear of the first, and of the other only that it takes long. */
  function connection(name: string, proxy: TcpProxy, cut: number): KillTarget {
    let times = 0;
    return {
      name,
      away: cut,
      kill() {
        times += 1;
        if (times % 2 === 1) proxy.cut();
        else proxy.hold();
      },
      comeBack: () => proxy.mend(),
    };
  }

  /** The worker in Python, which somebody starts again, and its connection. */
  async function supervisedPython(version: string, cut: number) {
    const way = await openProxy(engine.address);
    const start = () =>
      startPythonBackend(lab, version, {
        ...{ backend: PYTHON_BACKEND, name: 'python', seconds: `0..${longestMeasurement}` },
        ...{ address: way.address, json: true },
      });
    let running = await start();
    let isKilled = false;
    // It ends where Temporal cannot be reached as it starts, and whoever looks after it starts it again.
    const supervising = setInterval(() => void restart(), 1000);
    let restarting = false;
    async function restart(): Promise<void> {
      if (isKilled || restarting || !running.hasEnded()) return;
      restarting = true;
      running = await start().catch(() => running);
      restarting = false;
    }
    const process: KillTarget = {
      name: 'Python worker',
      away: AWAY,
      async kill() {
        isKilled = true;
        await running.kill();
      },
      async comeBack() {
        isKilled = false;
        await restart();
      },
    };
    return {
      targets: [process, connection('Python worker to Temporal', way, cut)],
      read: async () => undefined,
      close: async () => {
        clearInterval(supervising);
        await running.kill();
        await way.close();
      },
    };
  }

  /** A process that somebody starts again until it runs, as a supervisor does, and its connections. */
  async function supervised(
    name: string,
    start: (environment: Readonly<Record<string, string>>) => Promise<OwnProcess>,
    cut: number,
  ) {
    const [toEngine, toStore] = await Promise.all([openProxy(engine.address), openProxy(storeHost)]);
    const viaProxies = {
      TEMPORAL_ADDRESS: toEngine.address,
      MONGODB_URI: store.address.replace(storeHost, toStore.address),
    };
    const connections = [toEngine, toStore].map((proxy, index) =>
      connection(`${name} to ${index === 0 ? 'Temporal' : 'store'}`, proxy, cut),
    );
    const needed = [...engines, ...connections];
    let running = await start(viaProxies);
    const read = async () => {
      const lines = (await running.log()).split('\n');
      answered500.push(...lines.filter((line) => line.includes('request failed')));
    };
    const process: KillTarget = {
      name,
      away: AWAY,
      async kill() {
        if (running.hasEnded()) endedAlone.push(`${name}: ${(await running.log()).slice(-2000)}`);
        await read();
        await running.kill();
      },
      /** What it cannot do without goes away at any time: begun while it is away, the start fails, which takes seconds. */
      async comeBack() {
        for (let started: OwnProcess | null = null; !started; ) {
          while (needed.some((each) => away.has(each))) await wait(100);
          started = await start(viaProxies).catch(() => null);
          if (started) running = started;
        }
      },
    };
    return {
      targets: [process, ...connections],
      read,
      close: () => Promise.all([toEngine.close(), toStore.close()]),
    };
  }

  const [keeping, measuring] = [{ WORKER_QUEUES: 'calibration' }, { WORKER_QUEUES: 'backend:simulator' }];
  const cutOff = heartbeatTimeout * 1000 * CUT;
  const own = await Promise.all([
    supervised('API', lab.startApi, AWAY),
    supervised('worker 1', (environment) => lab.startWorker({ ...environment, ...keeping }), cutOff),
    supervised('worker 2', (environment) => lab.startWorker({ ...environment, ...keeping }), cutOff),
    supervised('instrument 1', (environment) => lab.startWorker({ ...environment, ...measuring }), cutOff),
    supervised('instrument 2', (environment) => lab.startWorker({ ...environment, ...measuring }), cutOff),
    ...(python === null ? [] : [supervisedPython(python, cutOff)]),
  ]);
  return {
    lab,
    base: `http://127.0.0.1:${apiPort}`,
    targets: [...engines, ...own.flatMap((each) => each.targets)],
    away,
    endedAlone,
    /** @returns what was answered with 500 since it was asked last */
    async errors(): Promise<string[]> {
      await Promise.all(own.map(({ read }) => read()));
      return [...new Set(answered500.splice(0))];
    },
    /** Copies what processes logged and the instrument noted to a directory that stays. */
    keep: (to: string): Promise<void> =>
      cp(lab.directory, to, {
        recursive: true,
        filter: (path) => path === lab.directory || /\.(?:log|jsonl)$/.test(path),
      }),
    async close(): Promise<void> {
      await lab.close();
      await Promise.all([...own.map((each) => each.close()), engine.close(), store.close()]);
    },
  };
}

/** Rules that make measurements of the simulator take times from 0 to the longest, in ten steps of equal chance. */
function measurementTimes(longest: number): FaultRule[] {
  const steps = 10;
  return Array.from({ length: steps }, (_, index) => ({
    // Each rule is asked after those before it: of what is left, a growing share.
    match: { probability: 1 / (steps - index) },
    behaviour: 'slow',
    seconds: (longest * index) / (steps - 1),
  }));
}
