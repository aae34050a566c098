import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { freePort } from '../../../../scripts/engines/processes.ts';
import { executionDetail } from '../../../../shared/domain/executions/model.ts';
import { startedRun } from '../../../../shared/domain/runs/model.ts';
import { expectNobodyHolds, expectNothingLostOrDoubled, sequence } from '../../../support/failure-checks.ts';
import { type Laboratory, type OwnProcess, oneStage, openLaboratory } from '../../../support/laboratory.ts';
import { repetitions } from '../../../support/repetitions.ts';
import { type OwnEngine, openOwnEngine } from './own-engine.ts';

/** Short runs at least; more are started until each process was killed so many times. */
const { runs: RUNS, turns: TURNS } = repetitions({
  quick: { runs: 8, turns: 1 },
  soak: { runs: 100, turns: 5 },
});
/** Projects whose runs go on at the same time, each one run after another. */
const PROJECTS = RUNS / 4;
/** Milliseconds at most between a restart and the next kill. */
const PEACE = 3000;

const administrator = { username: 'admin', password: 'correct horse battery' };

let lab: Laboratory;
let engine: OwnEngine;
let worker: OwnProcess;
let api: OwnProcess;
let base: string;
let token: string;

/** What is killed, and how it comes back. */
const members: (() => Promise<void>)[] = [
  async () => {
    await api.kill();
    api = await lab.startApi();
  },
  async () => {
    await worker.kill();
    worker = await lab.startWorker();
  },
  async () => {
    engine.kill();
    await engine.comeBack();
  },
];

beforeAll(async () => {
  const apiPort = await freePort();
  engine = await openOwnEngine();
  lab = await openLaboratory({
    TEMPORAL_ADDRESS: engine.address,
    API_PORT: String(apiPort),
    ADMIN_USERNAME: administrator.username,
    ADMIN_PASSWORD: administrator.password,
    SIMULATOR_SECONDS: '0.1',
  });
  base = `http://127.0.0.1:${apiPort}`;
  [api, worker] = await Promise.all([lab.startApi(), lab.startWorker()]);
  const login = await fetch(`${base}/auth/login`, {
    method: 'POST',
    body: new URLSearchParams(administrator),
  });
  token = z.object({ access_token: z.string() }).parse(await login.json()).access_token;
}, 120_000);
afterAll(async () => {
  await lab.close();
  await engine.close();
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
  const code = oneStage(['CheckT1'], ['0']);
  await ask(project_id, '/flows', { name: 'short', chip_id: place.chipId, code, flow_function_name: 'flow' });
  return place;
}

type Place = Awaited<ReturnType<typeof newProject>>;

/** Starts a run and waits for its end, all through the API. */
async function runOnce({ projectId }: Place, key: string): Promise<string> {
  const { execution_id } = startedRun.parse(
    await ask(projectId, '/flows/short/execute', { parameters: {} }, key),
  );
  for (;;) {
    const { status } = executionDetail.parse(await ask(projectId, `/executions/${execution_id}`));
    if (status !== 'running' && status !== 'scheduled') return execution_id;
    await wait(200);
  }
}

test(`at least ${RUNS} short runs survive the kill -9 of API, worker and engine in turn`, async () => {
  const places = await Promise.all(Array.from({ length: PROJECTS }, newProject));
  const runs: { place: Place; execution_id: string }[] = [];
  let started = 0;
  let kills = 0;
  const clients = Promise.all(
    places.map(async (place) => {
      while (started < RUNS || kills < TURNS * members.length) {
        started += 1;
        runs.push({ place, execution_id: await runOnce(place, `run ${started}`) });
      }
    }),
  );
  let going = true;
  clients.finally(() => {
    going = false;
  });
  const random = sequence(20261121);
  for (; going; kills += 1) {
    await wait(random() * PEACE);
    await members[kills % members.length]?.();
  }
  await clients;
  expect(kills, 'kills').toBeGreaterThanOrEqual(TURNS * members.length);
  expect(runs.length).toBeGreaterThanOrEqual(RUNS);

  for (const place of places) await expectNobodyHolds(lab, place);
  let measured = 0;
  for (const { place, execution_id } of runs) {
    const rows = await expectNothingLostOrDoubled(lab, place, execution_id);
    expect(rows).toHaveLength(1);
    for (const row of rows) {
      // A measurement that was cut off three times is the only one that may be lost.
      if (row.status !== 'completed') expect(row.message).toMatch(/no sign of life 3 times/);
      else measured += 1;
    }
  }
  const ids = runs.map(({ place, execution_id }) => `${place.projectId}/${execution_id}`);
  expect(new Set(ids).size).toBe(runs.length);
  const counts = await Promise.all(
    places.map(async ({ projectId }) => ({
      executions: await lab.database.db.collection('executions').countDocuments({ project_id: projectId }),
      versions: (await lab.areas.provenance.history(projectId, 't1', '0', runs.length + 1)).versions,
    })),
  );
  expect(counts.reduce((sum, { executions }) => sum + executions, 0)).toBe(runs.length);
  // Versions count without a gap, and none stands for a run twice.
  for (const { versions } of counts) {
    expect(versions.map(({ version }) => version)).toEqual(
      versions.map((_, index) => versions.length - index),
    );
  }
  const learnt = counts
    .flatMap(({ versions }) => versions)
    .filter(({ task_name }) => task_name === 'CheckT1');
  expect(learnt).toHaveLength(measured);
}, 600_000);
