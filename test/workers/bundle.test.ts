import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workflowBundle } from '../../workers/bundle.ts';

let directory: string;
let path: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-bundle-'));
  path = await workflowBundle(directory);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test('the workflow bundle is under 2 MB', async () => {
  expect((await stat(path)).size).toBeLessThan(2 * 1024 * 1024);
});

test('the workflow bundle holds no zod, mongodb or node module', async () => {
  const code = await readFile(path, 'utf8');
  // Webpack names each module by its path as the key of the module table.
  const modules = [...code.matchAll(/^\/\*\*\*\/ "([^"]+)"/gm)].map((match) => match[1] ?? '');
  expect(modules.length).toBeGreaterThan(20);
  const foreign = modules.filter(
    (name) =>
      /node_modules\/(zod|mongodb|bson|pino|fastify|@temporalio\/(client|worker|activity|proto))\//.test(
        name,
      ) || name.startsWith('node:'),
  );
  expect(foreign).toEqual([]);
});

test('a second worker takes the bundle from its file', async () => {
  const before = (await stat(path)).mtimeMs;
  expect(await workflowBundle(directory)).toBe(path);
  expect((await stat(path)).mtimeMs).toBe(before);
});
