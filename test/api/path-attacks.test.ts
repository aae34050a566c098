import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Api, type Call, type Person, startApi } from './harness.ts';
import { pathAttacks, secretFiles } from './path-attacks.ts';

const secret = 'TOP SECRET';

let api: Api;
let person: Person;
let project: string;
let sockets: Server[];
let attacks: string[];
let config: string;

/** A project with a figure and some data, configuration, and around them everything that an attack needs to find. */
beforeAll(async () => {
  api = await startApi();
  person = await api.makePerson();
  const [mine, other] = [await api.makeProject(person), await api.makeProject(await api.makePerson())];
  const root = api.settings.CALIB_DATA_PATH;
  config = api.settings.CONFIG_PATH;
  project = mine;
  const [own, neighbour] = [join(root, mine), join(root, other)];
  for (const directory of [
    own,
    join(own, '.hidden'),
    neighbour,
    `${root}-next-door`,
    `${config}-next-door`,
    join(config, '.git', 'hooks'),
    join(config, 'chip', '.hidden'),
    join(config, '__pycache__'),
  ]) {
    await mkdir(directory, { recursive: true });
  }
  for (const [directory, names] of [
    [api.directory, secretFiles],
    [`${root}-next-door`, secretFiles],
    [`${config}-next-door`, secretFiles],
    [join(own, '.hidden'), secretFiles],
    [own, ['.secret.png', '.secret.nc']],
    [neighbour, ['figure.png', 'data.nc']],
    [config, ['.env', '.env.yaml']],
    [join(config, '.git'), ['config', 'hooks/pre-commit']],
    [join(config, 'chip'), ['.hidden.yaml', '.hidden/secret.yaml']],
    [join(config, '__pycache__'), ['secret.json']],
  ] as const) {
    for (const name of names) await writeFile(join(directory, name), secret);
  }
  await writeFile(join(own, 'figure.png'), 'figure');
  await writeFile(join(config, 'wiring.yaml'), 'mux: 0\n');
  for (const kind of ['png', 'nc', 'json']) {
    await symlink(join(api.directory, `secret.${kind}`), join(own, `link.${kind}`));
    execFileSync('mkfifo', [join(own, `pipe.${kind}`)]);
  }
  execFileSync('mkfifo', [join(config, 'pipe.yaml')]);
  for (const [name, target] of Object.entries({
    away: api.directory,
    up: '..',
    'chain.png': 'link.png',
    'loop.png': 'loop.png',
    'zero.png': '/dev/zero',
    'zero.nc': '/dev/zero',
    'environ.json': '/proc/self/environ',
    'dangling.png': join(api.directory, 'nothing.png'),
    neighbour,
    'neighbour.png': join(neighbour, 'figure.png'),
  })) {
    await symlink(target, join(own, name));
  }
  for (const [name, target] of Object.entries({
    away: api.directory,
    'link.yaml': join(api.directory, 'secret.yaml'),
    'chain.yaml': 'link.yaml',
    'loop.yaml': 'loop.yaml',
    'zero.yaml': '/dev/zero',
    'dangling.yaml': join(api.directory, 'nothing.yaml'),
  })) {
    await symlink(target, join(config, name));
  }
  sockets = [join(own, 'socket.png'), join(config, 'socket.yaml')].map((path) => createServer().listen(path));
  attacks = pathAttacks.map((attack) =>
    attack
      .replaceAll('{root}', root)
      .replaceAll('{project}', own)
      .replaceAll('{config}', config)
      .replaceAll('{outside}', api.directory),
  );
});
afterAll(async () => {
  for (const socket of sockets) await new Promise((closed) => socket.close(closed));
  await api.close();
});

/** Whether an answer gives away any of the secrets, packed or not. */
function tells(answer: Answer): boolean {
  if (String(answer.headers['content-type']) !== 'application/zip') return answer.text.includes(secret);
  return Object.entries(unzipSync(answer.bytes)).some(
    ([name, content]) => name.includes('..') || name.startsWith('/') || Buffer.from(content).includes(secret),
  );
}

/** Sends every attack to one address; returns those that are not refused. */
async function survivors(callOf: (path: string) => [url: string, call: Call], statuses: readonly number[]) {
  const found: string[] = [];
  for (const path of attacks) {
    const [url, call] = callOf(path);
    const answer = await api.as(person, project)(url, call);
    if (!statuses.includes(answer.status) || tells(answer))
      found.push(`${answer.status} ${JSON.stringify(path)}`);
  }
  return found;
}

const byQuery = (url: string) => (path: string) => [url, { query: { path } }] as [string, Call];

test('the corpus is large and has no attempt twice', () => {
  expect(pathAttacks.length).toBeGreaterThan(350);
  expect(new Set(pathAttacks).size).toBe(pathAttacks.length);
});

describe('no attempt to leave its directory succeeds', () => {
  test.each([
    '/executions/figure',
    '/executions/artifact',
    '/executions/artifact/preview',
    '/files/raw-data',
  ])('at GET %s', async (url) => {
    expect(await survivors(byQuery(url), [400, 404])).toEqual([]);
  });

  test('at GET /executions/artifacts/archive', async () => {
    const call = (path: string): [string, Call] => [
      '/executions/artifacts/archive',
      { query: { paths: [join(api.settings.CALIB_DATA_PATH, project, 'figure.png'), path] } },
    ];
    expect(await survivors(call, [404])).toEqual([]);
  });

  test('at POST /task-results/figures/download', async () => {
    const call = (path: string): [string, Call] => [
      '/task-results/figures/download',
      { method: 'POST', body: { paths: [path] } },
    ];
    expect(await survivors(call, [400])).toEqual([]);
  });

  test('at GET /files/zip', async () => {
    // The configuration as a whole, its directories and the project's own may be had.
    expect(await survivors(byQuery('/files/zip'), [200, 400, 404])).toEqual([]);
    const root = api.settings.CALIB_DATA_PATH;
    for (const path of [
      root,
      `${root}/`,
      `${root}/.`,
      join(root, project, 'neighbour'),
      api.directory,
      '/',
    ]) {
      expect((await api.call('/files/zip', { query: { path } })).status).toBeGreaterThanOrEqual(400);
    }
  });

  test('at GET /files/content', async () => {
    expect(await survivors(byQuery('/files/content'), [400, 404])).toEqual([]);
  });

  test('at PUT /files/content, which writes nothing outside and nothing hidden', async () => {
    const before = await snapshot();
    const call = (path: string): [string, Call] => [
      '/files/content',
      { method: 'PUT', body: { path, content: 'written: true\n' } },
    ];
    // What only looks like an attempt is the name of a file inside.
    expect(await survivors(call, [200, 400])).toEqual([]);
    const after = await snapshot();
    const changed = Object.keys({ ...before, ...after }).filter((path) => before[path] !== after[path]);
    expect(changed.filter((path) => !path.startsWith(config) || path.includes('/.'))).toEqual([]);
  });
});

/** Every plain file around the service with its content. */
async function snapshot(): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(api.directory, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) found[path] = await readFile(path, 'utf8');
  }
  return found;
}
