import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { buildIdOf } from '../../workers/deployment.ts';
import { changedBundle } from '../support/changed-bundle.ts';
import { commonCache } from '../support/laboratory.ts';

/** Where the workers of all tests have their bundles: to make one takes three seconds of a core. */
let directory: string;
let path: string;
/** Where there is none. */
let elsewhere: string;
beforeAll(async () => {
  directory = await commonCache();
  path = await workflowBundle(directory);
  elsewhere = await mkdtemp(join(tmpdir(), 'calibron-bundle-'));
});
afterAll(() => rm(elsewhere, { recursive: true, force: true }));

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

test('a worker takes the bundle that the image has, and builds none', async () => {
  const data = join(elsewhere, 'data');
  expect(await workflowBundle(data, { built: directory })).toBe(path);
  expect(existsSync(data)).toBe(false);
});

test('workers that have versions have a bundle of their own, without which nothing says what is pinned', async () => {
  const versioned = await workflowBundle(directory, { versioned: true });
  expect(versioned).not.toBe(path);
  const [versionedCode, plainCode] = await Promise.all([readFile(versioned, 'utf8'), readFile(path, 'utf8')]);
  expect(versionedCode).toContain('"./workflows/versioned.ts"');
  expect(plainCode).not.toContain('"./workflows/versioned.ts"');
});

test('a build id is the same wherever the bundle was built, and another one for other code', async () => {
  const code = await readFile(path, 'utf8');
  const replayed = code.slice(0, code.lastIndexOf('//# sourceMappingURL='));
  expect(replayed).not.toContain(directory);
  expect(replayed).not.toContain(fileURLToPath(packageRoot));
  expect(buildIdOf(code)).toBe(buildIdOf(replayed.trimEnd()));
  expect(buildIdOf(code)).not.toBe(
    buildIdOf(changedBundle(code, 'async function runSteps() {', 'async function runSteps() { ;')),
  );
});
