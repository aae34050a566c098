import { lstat, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { isAlive } from '../../../scripts/engines/pids.ts';
import { findEngine } from '../../../scripts/engines/sources.ts';
import { noReport } from '../../../scripts/engines/types.ts';
import { serviceNames } from '../../../scripts/start/data-directory.ts';
import {
  eventually,
  isReady,
  kill,
  type Launched,
  launch,
  livingPids,
  processesNaming,
  projectNames,
  remembered,
} from '../../support/launching.ts';
import { repetitions } from '../../support/repetitions.ts';

const USUAL_PORTS = [5715, 7233, 8233, 27017];
/** For a start that waits by itself. */
const LONG_PATIENCE_MS = 300_000;
const READY = 'Ctrl-C stops everything.';

/** Settings of an installation that updates itself, with nothing to do. */
const UPDATING = {
  SYSTEM_UPDATES: 'on',
  UPDATE_DEPLOY_COMMAND: '["true"]',
  UPDATE_HEALTH_COMMAND: '["true"]',
};

let directory: string;
/** Where the first start finds its Temporal. */
let building: string;
/** What runs at the moment; each test takes it over from the one before. */
let running: Launched;
let password: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-start-'));
  building = await mkdtemp(join(tmpdir(), 'calibron-building-'));
});

afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.log(running?.output());
});

afterAll(async () => {
  for (const pid of [running?.pid, ...processesNaming(directory)]) if (pid && isAlive(pid)) kill(pid);
  for (const each of [directory, building]) await rm(each, { recursive: true, force: true });
});

/** Starts it without the demonstration, and waits for the table. */
async function begin(settings: Record<string, string> = {}, npm = false): Promise<string> {
  running = launch(['--no-demo'], { DATA_DIR: directory, ...settings }, { npm });
  return running.until(READY);
}

/** Listens on the ports that nobody else has. */
async function occupy(ports: readonly number[]): Promise<Server[]> {
  return Promise.all(
    ports.map(
      (port) =>
        new Promise<Server>((resolve) => {
          const server = createServer();
          server.once('error', () => resolve(server)); // somebody has it: as good
          server.listen(port, '127.0.0.1', () => resolve(server));
        }),
    ),
  );
}

async function apiAddress(): Promise<string> {
  return (await remembered(directory)).api?.address ?? '';
}

async function ports(): Promise<(number | undefined)[]> {
  const { temporal, mongodb, api } = await remembered(directory);
  return [temporal?.port, temporal?.uiPort, mongodb?.port, api?.port];
}

test('has an API up while Temporal is still being built, which knows no other one, and then one with it', async () => {
  const source = await findEngine('temporal', noReport);
  if (source.kind !== 'program') throw new Error('these tests start a Temporal server of their own');
  const built = join(building, 'built');
  const program = join(building, 'slow-temporal');
  const waiting = `case "$1" in --version) ;; *) while [ ! -e ${built} ]; do sleep 0.1; done;; esac`;
  await writeFile(program, `#!/bin/sh\n${waiting}\nexec ${source.command} "$@"\n`, { mode: 0o755 });
  const occupiers = await occupy(USUAL_PORTS);
  running = launch(['--no-demo'], { DATA_DIR: directory, TEMPORAL_BINARY: program });
  const said = await running.until('all else is ready', LONG_PATIENCE_MS);
  const address = /the API answers at (http:\S+);/.exec(said)?.[1] ?? '';
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  expect(await isReady(address)).toBe(false);
  await writeFile(built, '');
  await running.until(READY, LONG_PATIENCE_MS);
  for (const occupier of occupiers) occupier.close();
  expect(await apiAddress()).toBe(address);
  expect(await isReady(address)).toBe(true);
}, 900_000);

test('takes free ports where the usual ones are taken, and shows addresses and the first password', async () => {
  const text = running.output();
  expect((await ports()).filter((port) => port === undefined || USUAL_PORTS.includes(port))).toEqual([]);
  const api = await apiAddress();
  expect(text).toContain(`port 5715 is taken: the API takes ${new URL(api).port}`);
  expect(text).toMatch(/Administrator +admin\n/);
  expect(text).toContain(`${api}/docs`);
  expect(text).toMatch(/Temporal UI +http:\/\/127\.0\.0\.1:\d+\/namespaces\/calibron\/workflows\n/);
  const { uiAddress = '' } = (await remembered(directory)).temporal ?? {};
  expect((await fetch(uiAddress)).status).toBe(401);
  const token = /UI token +(\S+)/.exec(text)?.[1] ?? '';
  const authorization = `Basic ${Buffer.from(`admin:${token}`).toString('base64')}`;
  expect((await fetch(uiAddress, { headers: { authorization } })).status).toBe(200);
  password = /Password +(\S+)/.exec(text)?.[1] ?? '';
  expect(await projectNames(api, 'admin', password)).toEqual(["admin's project"]);
});

test('keeps store, logs and keys from other users of the machine', async () => {
  const names = ['.', ...(await readdir(directory, { recursive: true }))];
  const open: string[] = [];
  for (const name of names) {
    // A store may replace its files meanwhile.
    const found = await lstat(join(directory, name)).catch(() => null);
    if (found && !found.isSymbolicLink() && (found.mode & 0o077) !== 0) open.push(name);
  }
  expect(open).toEqual([]);
  expect(names.filter((name) => name.endsWith('.log')).length).toBeGreaterThan(0);
});

test('asks for a password before the store answers', async () => {
  const { mongodb } = await remembered(directory);
  const address = new URL(mongodb?.address ?? '');
  const count = async (url: URL) => {
    const client = new MongoClient(url.href, { serverSelectionTimeoutMS: 5000 });
    try {
      return await client.db('calibron').collection('users').countDocuments();
    } finally {
      await client.close();
    }
  };
  expect(await count(address)).toBe(1);
  address.username = '';
  address.password = '';
  await expect(count(address)).rejects.toMatchObject({ code: 13 });
});

test('refuses a second start on the same data directory, naming pid and address of the first', async () => {
  const second = launch(['--no-demo'], { DATA_DIR: directory });
  expect(await second.ended).toBe(1);
  expect(second.output()).toContain(`Calibron runs already at ${await apiAddress()} on ${directory}`);
  expect(second.output()).toContain(`(pid ${running.pid})`);
});

test.each(serviceNames)('starts %s again after a kill -9, where it was', async (name) => {
  const before = await livingPids(directory);
  const portsBefore = await ports();
  const killed = before[name];
  kill(killed);
  await running.until(`(pid ${killed}) has ended and is started again`);
  await eventually(async () => {
    const { [name]: pid } = await livingPids(directory);
    return pid !== undefined && pid !== killed && running.output().includes(`is back (pid ${pid})`);
  }, `${name} back`);
  const others = { ...before, [name]: undefined };
  expect({ ...(await livingPids(directory)), [name]: undefined }).toEqual(others);
  expect(await ports()).toEqual(portsBefore);
  await eventually(async () => isReady(await apiAddress()), 'the API ready');
});

test('goes on with every process of a start that was killed, and does not show the password again', async () => {
  const before = await livingPids(directory);
  kill(running.pid);
  await running.ended;
  const text = await begin();
  expect(await livingPids(directory)).toEqual(before);
  expect(text).not.toContain('Password');
  for (const name of serviceNames) expect(text).toContain(`${name}: keeps running (pid ${before[name]})`);
});

test('has data and ports of before after a kill of everything', async () => {
  const before = await livingPids(directory);
  const portsBefore = await ports();
  for (const pid of [running.pid, ...Object.values(before)]) kill(pid);
  await running.ended;
  await begin(UPDATING, true);
  const after = await livingPids(directory);
  expect(Object.keys(after)).toHaveLength(serviceNames.length);
  for (const name of serviceNames) expect(after[name]).not.toBe(before[name]);
  expect(await ports()).toEqual(portsBefore);
  expect(await projectNames(await apiAddress(), 'admin', password)).toEqual(["admin's project"]);
});

test('takes the place of a start whose npm was killed', async () => {
  const before = await livingPids(directory);
  // npm itself: what it started is an orphan then.
  kill(running.pid);
  const text = await begin(UPDATING);
  expect(text).toContain('this start takes its place');
  expect(await livingPids(directory)).toEqual(before);
});

test('runs an updater where system updates are on, and ends one that is left when they are off', async () => {
  const { updater } = await remembered(directory);
  expect(isAlive(updater?.pid ?? 0)).toBe(true);
  kill(running.pid);
  await running.ended;
  const text = await begin();
  expect(text).toContain(`updater: an earlier process (pid ${updater?.pid}) is stopped`);
  expect(isAlive(updater?.pid ?? 0)).toBe(false);
});

test('stops everything at a Ctrl-C, and leaves nothing behind', async () => {
  const before = Object.values(await livingPids(directory));
  expect(before).toHaveLength(serviceNames.length);
  running.signal('SIGINT');
  expect(await running.ended).toBe(0);
  expect(before.filter(isAlive)).toEqual([]);
  expect(processesNaming(directory)).toEqual([]);
});

const moments = repetitions({ quick: [2500], soak: [900, 2500, 4000] });

test.each(moments)('recovers from a kill %i ms after a start began', async (moment) => {
  const cut = launch(['--no-demo'], { DATA_DIR: directory });
  await wait(moment);
  kill(cut.pid);
  await cut.ended;
  await begin();
  expect(await projectNames(await apiAddress(), 'admin', password)).toEqual(["admin's project"]);
  expect(new Set(processesNaming(directory))).toEqual(new Set(Object.values(await livingPids(directory))));
  if (moment !== moments.at(-1)) await stopFromOutside();
});

/** Stops what runs from another shell. */
async function stopFromOutside(): Promise<void> {
  const other = launch(['--stop'], { DATA_DIR: directory });
  expect(await other.ended).toBe(0);
  expect(other.output()).toBe(
    `stopping the npm start of pid ${running.pid}\nstopped; the data stays in ${directory}\n`,
  );
  expect(await running.ended).toBe(0);
  expect(processesNaming(directory)).toEqual([]);
}

test('is stopped from another shell with --stop', () => stopFromOutside());

test('is stopped from another shell while it comes up as well', async () => {
  running = launch(['--no-demo'], { DATA_DIR: directory });
  await eventually(() => processesNaming(directory).length > 0, 'something started');
  await stopFromOutside();
});

test('ends a Ctrl-C during a start as well, and everything at once at the second one', async () => {
  running = launch(['--no-demo'], { DATA_DIR: directory });
  await eventually(() => processesNaming(directory).length > 0, 'something started');
  running.signal('SIGINT');
  await wait(600);
  running.signal('SIGINT');
  await running.ended;
  await eventually(() => processesNaming(directory).length === 0, 'everything ended');
});
