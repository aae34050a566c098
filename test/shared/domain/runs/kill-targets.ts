import { cp } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../../../scripts/engines/processes.ts';
import { type OwnProcess, openLaboratory } from '../../../support/laboratory.ts';
import { openProxy } from '../../../support/tcp-proxy.ts';
import { openOwnEngine } from './own-engine.ts';
import { openOwnStore } from './own-store.ts';

export const administrator = { username: 'admin', password: 'correct horse battery' };

/** Milliseconds at most before what was killed comes back. */
const AWAY = 1000;
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

/**
 * A laboratory with an engine, a store, an API and two workers of its own, each of which can be killed, as can each
 * connection of API and workers to engine and store.
 * @param heartbeatTimeout seconds by which a lost worker is noticed
 */
export async function openKillTargets(heartbeatTimeout: number) {
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
    SIMULATOR_SECONDS: '0.2',
  });

  const engines: readonly KillTarget[] = [
    { name: 'Temporal', away: AWAY, kill: () => engine.kill(), comeBack: () => engine.comeBack() },
    { name: 'store', away: AWAY, kill: () => store.kill(), comeBack: () => store.comeBack() },
  ];
  /** What is away at the moment. */
  const away = new Set<KillTarget>();
  /** Processes that ended before anybody killed them. */
  const endedAlone: string[] = [];
  /** What processes logged of requests that they answered with 500. */
  const answered500: string[] = [];

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
    const connections = [toEngine, toStore].map(
      (proxy, index): KillTarget => ({
        name: `${name} to ${index === 0 ? 'Temporal' : 'store'}`,
        away: cut,
        kill: () => proxy.cut(),
        comeBack: () => proxy.mend(),
      }),
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

  const cutOff = heartbeatTimeout * 1000 * CUT;
  const own = await Promise.all([
    supervised('API', lab.startApi, AWAY),
    supervised('worker 1', lab.startWorker, cutOff),
    supervised('worker 2', lab.startWorker, cutOff),
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
