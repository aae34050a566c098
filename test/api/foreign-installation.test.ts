import { execFile } from 'node:child_process';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { programs } from '../../scripts/programs.ts';
import { createInstallationStore } from '../../shared/kernel/installation/store.ts';
import { eventually, type Laboratory, openLaboratory } from '../support/laboratory.ts';
import { type OwnEngine, openOwnEngine } from '../support/own-engine.ts';
import { type OwnStore, openOwnStore } from '../support/own-store.ts';
import { openProxy } from '../support/tcp-proxy.ts';
import { type ApiProcess, startApiProcess } from './api-process.ts';

const PATIENCE = 60_000;

let lab: Laboratory;
let otherTemporal: OwnEngine;
let otherStore: OwnStore;
const opened: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  [lab, otherTemporal, otherStore] = await Promise.all([openLaboratory(), openOwnEngine(), openOwnStore()]);
  const first = await lab.startWorker();
  await first.stop();
});
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});
afterAll(async () => {
  await lab?.close();
  await Promise.all([otherTemporal?.close(), otherStore?.close()]);
});

async function startApi(extra: Record<string, string> = {}): Promise<{ api: ApiProcess; address: string }> {
  const api = startApiProcess({ ...lab.variables, ADMIN_PASSWORD: 'correct horse battery', ...extra });
  opened.push(() => api.kill());
  return { api, address: await api.listening() };
}

async function proxyTo(target: string) {
  const proxy = await openProxy(target);
  opened.push(() => proxy.close());
  return proxy;
}

const readiness = z.object({ status: z.string(), problem: z.string().nullable() });

async function ready(address: string) {
  const answer = await fetch(`${address}/readyz`);
  return { code: answer.status, ...readiness.parse(await answer.json()) };
}

async function login(address: string) {
  const body = new URLSearchParams({ username: 'admin', password: 'correct horse battery' });
  const answer = await fetch(`${address}/auth/login`, { method: 'POST', body });
  return { status: answer.status, ...z.object({ code: z.string().optional() }).parse(await answer.json()) };
}

/** Runs the program that adopts. @returns its exit code and all that it prints */
function adopt(
  args: readonly string[],
  extra: Record<string, string> = {},
): Promise<{ code: unknown; says: string }> {
  const env = { ...process.env, ...lab.variables, ...extra };
  return new Promise((resolve) => {
    execFile(process.execPath, [programs.adopt, ...args], { env }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, says: out + err }),
    );
  });
}

const REFUSED = { status: 503, code: 'wrong_installation' };

test('an API with the wrong Temporal serves nothing but its health until that Temporal is adopted', async () => {
  const there = { TEMPORAL_ADDRESS: otherTemporal.address };
  const { address } = await startApi(there);
  const { code, status, problem } = await ready(address);
  expect({ code, status }).toEqual({ code: 503, status: 'unavailable' });
  expect(problem).toContain(`database ${lab.settings.MONGODB_DATABASE}`);
  expect(problem).toContain(otherTemporal.address);
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  expect(await login(address)).toEqual(REFUSED);

  const adopted = await adopt(['temporal'], there);
  expect(adopted).toEqual({ code: 0, says: expect.stringContaining(otherTemporal.address) });
  await eventually(async () => (await ready(address)).code === 200, PATIENCE);
  // The first administrator is created only now.
  await eventually(async () => (await login(address)).status === 200, PATIENCE);
  // The store is that of the other Temporal by now: take it back.
  const { address: before } = await startApi();
  expect((await ready(before)).code).toBe(503);
  expect((await adopt(['temporal'])).code).toBe(0);
  await eventually(async () => (await ready(before)).code === 200, PATIENCE);
});

test('an API whose address leads to another store after a reconnect refuses at once, and serves when it is back', async () => {
  const target = new URL(lab.settings.MONGODB_URI);
  const way = await proxyTo(target.host);
  const { address } = await startApi({ MONGODB_URI: `mongodb://${way.address}/?directConnection=true` });
  expect((await ready(address)).code).toBe(200);
  expect(await login(address)).toEqual({ status: 200 });
  way.switchTo(new URL(otherStore.address).host);
  // A request that is under way when connections end fails as for a store that is away.
  const answers = await eventually(async () => {
    const answer = await login(address);
    expect(answer.status).toBe(503);
    return answer.code === 'wrong_installation' && answer;
  }, PATIENCE);
  expect(answers).toEqual(REFUSED);
  expect((await ready(address)).problem).toContain('different installations');
  way.switchTo(target.host);
  await eventually(async () => (await ready(address)).code === 200, PATIENCE);
});

test('an API whose address leads to another Temporal after a reconnect refuses', async () => {
  const way = await proxyTo(lab.settings.TEMPORAL_ADDRESS);
  const { address } = await startApi({ TEMPORAL_ADDRESS: way.address });
  expect((await ready(address)).code).toBe(200);
  way.switchTo(otherTemporal.address);
  await eventually(async () => (await ready(address)).problem !== null, PATIENCE);
  expect(await login(address)).toEqual(REFUSED);
});

test('a store that was replaced gets the id of its Temporal when it is adopted', async () => {
  const replaced = { MONGODB_URI: otherStore.address };
  const { address } = await startApi(replaced);
  expect((await ready(address)).code).toBe(503);
  const { installation_id } = await createInstallationStore(lab.database.db).get();
  expect(await adopt(['store'], replaced)).toEqual({
    code: 0,
    says: expect.stringContaining(installation_id),
  });
  await eventually(async () => (await ready(address)).code === 200, PATIENCE);
});

test('the program that adopts says how it is used, and what it cannot reach', async () => {
  for (const args of [[], ['everything'], ['data', 'store']]) {
    expect(await adopt(args)).toEqual({
      code: 2,
      says: expect.stringContaining('npm run adopt -- temporal'),
    });
  }
  const away = await adopt(['temporal'], { TEMPORAL_ADDRESS: '127.0.0.1:1' });
  expect(away).toEqual({ code: 1, says: expect.stringContaining('Temporal cannot be reached') });
  expect(await adopt(['data'])).toEqual({
    code: 0,
    says: expect.stringContaining(lab.settings.CALIB_DATA_PATH),
  });
});
