import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { isAlive } from '../../../scripts/engines/pids.ts';
import { provenanceHistory } from '../../../shared/domain/provenance/model.ts';
import {
  eventually,
  kill,
  type Launched,
  launch,
  processesNaming,
  remembered,
} from '../../support/launching.ts';

const READY = 'Ctrl-C stops everything.';
const password = 'a password of the test';

let directory: string;
let running: Launched;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-demo-'));
});

afterAll(async () => {
  for (const pid of [running?.pid, ...processesNaming(directory)]) if (pid && isAlive(pid)) kill(pid);
  await rm(directory, { recursive: true, force: true });
});

async function ask<T>(schema: z.ZodType<T>, path: string, projectId?: string): Promise<T> {
  const api = (await remembered(directory)).api?.address ?? '';
  const login = await fetch(`${api}/auth/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'ada', password }),
  });
  const { access_token } = z.object({ access_token: z.string() }).parse(await login.json());
  const answer = await fetch(`${api}${path}`, {
    headers: { authorization: `Bearer ${access_token}`, ...(projectId && { 'x-project-id': projectId }) },
  });
  return schema.parse(await answer.json());
}

function begin(settings: Record<string, string> = {}, arguments_: readonly string[] = []): void {
  running = launch(arguments_, {
    DATA_DIR: directory,
    API_PORT: '0',
    ADMIN_USERNAME: 'ada',
    ADMIN_PASSWORD: password,
    MEASURE_HEARTBEAT_TIMEOUT: '3',
    SIMULATOR_JOURNAL: join(directory, 'journal'),
    ...settings,
  });
}

const history = (projectId: string, parameter: string) =>
  ask(provenanceHistory, `/provenance/history?parameter_name=${parameter}&qid=7`, projectId);

test('calibrates a simulated chip on an empty store; a kill of everything in the middle only delays it', async () => {
  begin({ SIMULATOR_SECONDS: '0.5', STAGE_PARALLEL: '4' });
  await running.until(' done, ');
  await eventually(() => /Rabi: [1-9]/.test(running.output()), 'a first task done');
  const pids = Object.values(await remembered(directory)).map(({ pid }) => pid);
  for (const pid of [running.pid, ...pids]) kill(pid);
  await running.ended;

  begin();
  const text = await running.until(READY);
  expect(text).toContain('The calibration of DEMO-16 that was interrupted continues');
  expect(text).toMatch(/T1: \d+ done, \d+ failed, \d+ in total/);
  expect(text).toMatch(/completed: The flow ended\. \d+ of 32 tasks completed/);
});

test('measures in the process of an instrument alone', async () => {
  const { instrument, worker } = await remembered(directory);
  const journal = await readFile(join(directory, 'journal'), 'utf8');
  const pids = journal
    .split('\n')
    .filter(Boolean)
    .map((line) => z.object({ pid: z.number() }).parse(JSON.parse(line)).pid);
  expect(pids).toContain(instrument?.pid);
  expect(pids).not.toContain(worker?.pid);
});

test('says where to look: its figure, its run, and the project in the Temporal UI', async () => {
  const text = running.output();
  const figure = await fetch(/a figure +(\S+)/.exec(text)?.[1] ?? '');
  expect(figure.status).toBe(200);
  expect(figure.headers.get('content-type')).toBe('image/png');
  expect((await figure.arrayBuffer()).byteLength).toBeGreaterThan(10_000);

  const query = new URL(/Temporal UI +(\S+)/.exec(text)?.[1] ?? '').searchParams.get('query');
  const projectId = /^ProjectId="([0-9a-f-]{36})"$/.exec(query ?? '')?.[1] ?? '';
  const [measured] = (await history(projectId, 't1')).versions;
  expect(measured).toMatchObject({ task_name: 'CheckT1', chip_id: 'DEMO-16' });
  const given = (await history(projectId, 'qubit_frequency')).versions.at(-1);
  expect(given).toMatchObject({ task_name: 'SeedImport', version: 1 });
});

test('runs nothing at the next start, whose table still leads to the project', async () => {
  running.signal('SIGINT');
  expect(await running.ended).toBe(0);
  begin();
  const text = await running.until(READY);
  expect(text).not.toContain('Where to look');
  expect(text).toContain('?query=ProjectId%3D%22');
  const { projects } = await ask(
    z.object({ projects: z.array(z.object({ name: z.string() })) }),
    '/projects',
  );
  expect(projects.map(({ name }) => name)).toEqual(["ada's project"]);
  running.signal('SIGINT');
  expect(await running.ended).toBe(0);
});

test('runs no instrument where the demonstration is not wanted', async () => {
  begin({}, ['--no-demo']);
  await running.until(READY);
  expect(Object.keys(await remembered(directory))).not.toContain('instrument');
  running.signal('SIGINT');
  expect(await running.ended).toBe(0);
});
