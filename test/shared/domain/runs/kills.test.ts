import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { freePort } from '../../../../scripts/engines/processes.ts';
import { executionDetail } from '../../../../shared/domain/executions/model.ts';
import { isEndStatus } from '../../../../shared/domain/executions/status-rules.ts';
import { startedRun } from '../../../../shared/domain/runs/model.ts';
import { expectNobodyHolds, expectNothingLostOrDoubled, sequence } from '../../../support/failure-checks.ts';
import {
  type LabChip,
  type Laboratory,
  type OwnProcess,
  oneStage,
  openLaboratory,
} from '../../../support/laboratory.ts';
import { repetitions } from '../../../support/repetitions.ts';
import { openProxy, type TcpProxy } from '../../../support/tcp-proxy.ts';
import { overlappingMeasurements } from './overlaps.ts';
import { type OwnEngine, openOwnEngine } from './own-engine.ts';
import { type OwnStore, openOwnStore } from './own-store.ts';

/** Kills at least, and the time-out by which a lost worker is noticed: that which is shipped, in full. */
const { KILLS, HEARTBEAT_TIMEOUT } = repetitions({
  quick: { KILLS: 20, HEARTBEAT_TIMEOUT: 4 },
  soak: { KILLS: 1000, HEARTBEAT_TIMEOUT: 10 },
});
/** After so many minutes a soak kills no more, and tells how far it came. */
const LIMIT = process.env.CALIBRON_SOAK_MINUTES;
const MINUTES = Number(LIMIT ?? 120);
const SEED = Number(process.env.CALIBRON_SOAK_SEED ?? 20261121);
/** Projects whose runs go on at the same time, each one run after another. */
const PROJECTS = 6;
const TASKS = ['CheckT1', 'CheckT1'];
/** Milliseconds at most between two kills, and before what was killed comes back. */
const PEACE = 1500;
const AWAY = 1000;
/** So many are down together at most. */
const DOWN = 2;
/** Milliseconds after the last kill in which every run has to end. */
const PATIENCE = 180_000;

const administrator = { username: 'admin', password: 'correct horse battery' };

let lab: Laboratory;
let engine: OwnEngine;
let store: OwnStore;
let toEngine: TcpProxy;
let toStore: TcpProxy;
let base: string;
let token: string;

/** What is killed, and how it comes back. */
interface Member {
  name: string;
  kill(): unknown;
  comeBack(): unknown;
  /** Milliseconds at most that it stays away. */
  away?: number;
}
/** A process of ours, whose log is read before it goes. */
interface Supervised extends Member {
  read(): Promise<void>;
}
let members: readonly Member[];
let processes: readonly Supervised[];

/** When processes of ours were gone, by their number. */
const gone = new Map<number, number>();
/** Processes that ended before anybody killed them. */
const endedAlone: string[] = [];

/** What processes logged of requests that they answered with 500. */
const answered500: string[] = [];

/** A process that somebody starts again until it runs, as a supervisor does. */
async function supervised(name: string, start: () => Promise<OwnProcess>): Promise<Supervised> {
  let running = await start();
  const read = async () => {
    const lines = (await running.log()).split('\n');
    answered500.push(...lines.filter((line) => line.includes('request failed')));
  };
  return {
    name,
    read,
    async kill() {
      if (running.hasEnded()) endedAlone.push(`${name}: ${(await running.log()).slice(-2000)}`);
      await read();
      await running.kill();
      gone.set(running.pid, Date.now());
    },
    /** What it cannot do without may be away itself. */
    async comeBack() {
      for (let started: OwnProcess | null = null; !started; ) {
        started = await start().catch(() => null);
        if (started) running = started;
      }
    },
  };
}

beforeAll(async () => {
  const apiPort = await freePort();
  [engine, store] = await Promise.all([openOwnEngine(), openOwnStore()]);
  const storeUrl = new URL(store.address);
  [toEngine, toStore] = await Promise.all([openProxy(engine.address), openProxy(storeUrl.host)]);
  lab = await openLaboratory({
    TEMPORAL_ADDRESS: engine.address,
    MONGODB_URI: store.address,
    MEASURE_HEARTBEAT_TIMEOUT: String(HEARTBEAT_TIMEOUT),
    API_PORT: String(apiPort),
    ADMIN_USERNAME: administrator.username,
    ADMIN_PASSWORD: administrator.password,
    RATE_LIMIT_TOKEN: '1000000',
    SIMULATOR_SECONDS: '0.2',
  });
  base = `http://127.0.0.1:${apiPort}`;
  const viaProxies = {
    TEMPORAL_ADDRESS: toEngine.address,
    MONGODB_URI: store.address.replace(storeUrl.host, toStore.address),
  };
  processes = await Promise.all([
    supervised('API', () => lab.startApi()),
    supervised('worker', () => lab.startWorker()),
    supervised('worker behind the proxy', () => lab.startWorker(viaProxies)),
  ]);
  const cutTwice = HEARTBEAT_TIMEOUT * 1500;
  members = [
    ...processes,
    { name: 'Temporal', kill: () => engine.kill(), comeBack: () => engine.comeBack() },
    { name: 'store', kill: () => store.kill(), comeBack: () => store.comeBack() },
    {
      name: 'connection to Temporal',
      kill: () => toEngine.cut(),
      comeBack: () => toEngine.mend(),
      away: cutTwice,
    },
    { name: 'connection to the store', kill: () => toStore.cut(), comeBack: () => toStore.mend() },
  ];
  const login = await fetch(`${base}/auth/login`, {
    method: 'POST',
    body: new URLSearchParams(administrator),
  });
  token = z.object({ access_token: z.string() }).parse(await login.json()).access_token;
}, 120_000);
afterAll(async () => {
  await lab.close();
  await Promise.all([toEngine.close(), toStore.close(), engine.close(), store.close()]);
});

/** Asks as a patient client does: again while nobody answers, the engine is away or the project is held. */
async function ask(project: string, path: string, body?: unknown, key?: string): Promise<unknown> {
  for (;;) {
    const answer = await fetch(`${base}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        ...(project && { 'x-project-id': project }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch(() => null);
    if (answer && answer.status < 300) return JSON.parse(answer.text);
    if (answer) expect([409, 503], answer.text).toContain(answer.status);
    await wait(100);
  }
}

async function newProject() {
  const created = await ask('', '/projects', { name: `Lab ${crypto.randomUUID()}` });
  const { project_id } = z.object({ project_id: z.string() }).parse(created);
  const place = await lab.newProject({ size: 4, projectId: project_id });
  const code = oneStage(TASKS, ['0']);
  await ask(project_id, '/flows', { name: 'short', chip_id: place.chipId, code, flow_function_name: 'flow' });
  return place;
}

interface Run {
  place: LabChip;
  execution_id: string;
}

/** Starts a run and waits for its end, all through the API. */
async function runOnce(place: LabChip, key: string, started: (run: Run) => void): Promise<void> {
  const { projectId } = place;
  const { execution_id } = startedRun.parse(
    await ask(projectId, '/flows/short/execute', { parameters: {} }, key),
  );
  started({ place, execution_id });
  for (;;) {
    const { status } = executionDetail.parse(await ask(projectId, `/executions/${execution_id}`));
    if (isEndStatus(status)) return;
    await wait(300);
  }
}

/** Kills at random until there were enough, and brings everything back. @returns how often each was killed */
async function killAtRandom(): Promise<Record<string, number>> {
  const random = sequence(SEED);
  const kills = Object.fromEntries(members.map(({ name }) => [name, 0]));
  const down = new Set<Member>();
  const returning = new Set<Promise<void>>();
  const until = Date.now() + MINUTES * 60_000;
  for (let count = 0; count < KILLS && Date.now() < until; ) {
    await wait(random() * PEACE);
    const up = members.filter((member) => !down.has(member));
    const member = up[Math.floor(random() * up.length)];
    if (!member || down.size >= DOWN) continue;
    down.add(member);
    await member.kill();
    kills[member.name] = (kills[member.name] ?? 0) + 1;
    count += 1;
    const back = wait(random() * (member.away ?? AWAY)).then(async () => {
      await member.comeBack();
      down.delete(member);
    });
    returning.add(back);
    back.finally(() => returning.delete(back));
  }
  await Promise.all(returning);
  return kills;
}

/** Runs what throws where a promise is broken. @returns the sentence, null when it is kept */
async function broken(check: () => Promise<unknown>): Promise<string | null> {
  try {
    await check();
    return null;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

test(
  `${KILLS} random kills of API, workers, engine, store and connections lose nothing, double nothing and leave nothing stuck`,
  async () => {
    const places = await Promise.all(Array.from({ length: PROJECTS }, newProject));
    const runs: Run[] = [];
    let killing = true;
    let started = 0;
    const clients = Promise.all(
      places.map(async (place) => {
        while (killing) {
          started += 1;
          await runOnce(place, `run ${started}`, (run) => runs.push(run));
        }
      }),
    ).then(
      () => 'ended',
      (thrown: unknown) => `failed: ${String(thrown)}`,
    );
    const kills = await killAtRandom();
    killing = false;
    const outcome = await Promise.race([clients, wait(PATIENCE, 'stuck', { ref: false })]);

    const executions = await lab.database.db.collection('executions').countDocuments();
    const stuck = (
      await Promise.all(places.map((place) => broken(() => expectNobodyHolds(lab, place))))
    ).filter(Boolean);
    const byStatus: Record<string, number> = {};
    const lostOrDoubled: string[] = [];
    let repeated = 0;
    for (const run of runs) {
      const problem = await broken(async () => {
        const rows = await expectNothingLostOrDoubled(lab, run.place, run.execution_id);
        expect(rows).toHaveLength(TASKS.length);
        for (const { status, attempt, message } of rows) {
          byStatus[status] = (byStatus[status] ?? 0) + 1;
          if (attempt > 1) repeated += 1;
          // A measurement that was cut off three times is the only one that may be lost, and what follows it.
          if (status === 'failed') expect(message).toMatch(/no sign of life 3 times/);
        }
      });
      if (problem) lostOrDoubled.push(`${run.place.projectId} ${run.execution_id}: ${problem}`);
    }
    const overlapping: string[] = [];
    for (const { projectId } of places)
      overlapping.push(...overlappingMeasurements(await lab.journals(projectId), gone));

    await Promise.all(processes.map(({ read }) => read()));
    const total = Object.values(kills).reduce((sum, each) => sum + each, 0);
    console.log(
      [
        `seed ${SEED}: ${total} kills (${Object.entries(kills)
          .map(([name, count]) => `${name} ${count}`)
          .join(', ')})`,
        `${runs.length} runs, ${executions} executions`,
        `tasks: ${Object.entries(byStatus)
          .map(([status, count]) => `${status} ${count}`)
          .join(', ')}; measured again ${repeated}`,
        `lost or doubled ${lostOrDoubled.length}, overlapping ${overlapping.length}, stuck ${stuck.length}, ended alone ${endedAlone.length}`,
      ].join('\n'),
    );
    expect({ outcome, answered500, stuck, lostOrDoubled, overlapping, endedAlone }).toEqual({
      outcome: 'ended',
      answered500: [],
      stuck: [],
      lostOrDoubled: [],
      overlapping: [],
      endedAlone: [],
    });
    expect(executions, 'executions beyond the runs that were asked for').toBe(runs.length);
    if (LIMIT === undefined) expect(total).toBe(KILLS);
  },
  MINUTES * 60_000 + 2 * PATIENCE,
);
