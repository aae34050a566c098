import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { breachesOf, checkTree, importsOf, workflowBreaches } from '../../scripts/check-imports.ts';
import { workflowBundle } from '../../workers/bundle.ts';

let directory: string;
let path: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-bundle-'));
  path = await workflowBundle(directory);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const root = fileURLToPath(new URL('../..', import.meta.url));

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

test('the source tree keeps to the layers', () => {
  expect(checkTree(root)).toEqual([]);
});

test('the check of the layers finds what it is there for', () => {
  expect(
    importsOf("import type { A } from '../workflows/a.ts';\nimport {\n  b,\n  type C,\n} from 'zod';\n"),
  ).toEqual([
    { line: 1, source: './a.ts', typesOnly: true },
    { line: 2, source: 'zod', typesOnly: false },
  ]);
  expect(
    breachesOf('shared/domain/chips/rules.ts', "import { x } from '../../api/server.ts';\n"),
  ).toHaveLength(1);
  expect(breachesOf('api/routes/chips.ts', "import { x } from '../../activities/record.ts';\n")).toHaveLength(
    1,
  );
  expect(breachesOf('api/routes/chips.ts', "import type { X } from '../../activities/record.ts';\n")).toEqual(
    [],
  );
  expect(breachesOf('shared/domain/chips/rules.ts', "import { x } from '../flows/store.ts';\n")).toHaveLength(
    1,
  );
  expect(
    workflowBreaches(root, 'shared/domain/results/model.ts').some((breach) => breach.includes('zod')),
  ).toBe(true);
});
