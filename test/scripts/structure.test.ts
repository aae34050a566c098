import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type IConfiguration } from 'dependency-cruiser';
import { expect, test } from 'vitest';
import imports from '../../.dependency-cruiser.mjs';
import runTime from '../../.dependency-cruiser-run-time.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Names of the rules that a tree of these files breaks; `npm run lint` asks the same of our own. */
async function broken(config: IConfiguration, files: Record<string, string>): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-structure-'));
  try {
    await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), text);
    }
    const folders = [...new Set(Object.keys(files).map((path) => path.split('/')[0] ?? ''))];
    const { tsConfig: _ofOurTree, ...options } = config.options ?? {};
    const { output } = await cruise(folders, {
      ...options,
      baseDir: directory,
      validate: true,
      ruleSet: { forbidden: config.forbidden ?? [] },
    });
    if (typeof output === 'string') throw new Error(output);
    return [...new Set(output.summary.violations.map(({ rule }) => rule.name))].sort();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const VALUE = 'export const x = 1;\n';
const TYPE = 'export type X = 1;\n';
const of = (path: string) => `import { x } from '${path}';\nexport const y = x;\n`;
const typeOf = (path: string) => `import type { X } from '${path}';\nexport type Y = X;\n`;

test.each<[rule: string, from: string, path: string, to: string]>([
  ['kernel-is-lowest', 'shared/kernel/ids.ts', '../science/a.ts', 'shared/science/a.ts'],
  ['science-is-above-kernel', 'shared/science/fit.ts', '../tasks/a.ts', 'shared/tasks/a.ts'],
  [
    'tasks-are-above-science',
    'shared/tasks/gates.ts',
    '../domain/chips/rules.ts',
    'shared/domain/chips/rules.ts',
  ],
  [
    'families-stand-alone',
    'shared/tasks/rabi/analysis.ts',
    '../t1/analysis.ts',
    'shared/tasks/t1/analysis.ts',
  ],
  [
    'families-stand-alone',
    'shared/tasks/common/simulation/sweeps.ts',
    '../../t1/simulation.ts',
    'shared/tasks/t1/simulation.ts',
  ],
  [
    'simulations-have-their-own-physics',
    'shared/tasks/rabi/simulation.ts',
    '../../science/fitting/a.ts',
    'shared/science/fitting/a.ts',
  ],
  [
    'simulations-have-their-own-physics',
    'shared/tasks/common/simulation/sweeps.ts',
    '../../../science/fitting/a.ts',
    'shared/science/fitting/a.ts',
  ],
  [
    'simulations-have-their-own-physics',
    'shared/science/device/device.ts',
    '../fitting/a.ts',
    'shared/science/fitting/a.ts',
  ],
  ['domain-is-below-programs', 'shared/domain/chips/rules.ts', '../../../api/a.ts', 'api/a.ts'],
  ['api-is-a-program', 'api/routes/chips/chips.ts', '../../../activities/a.ts', 'activities/a.ts'],
  ['activities-are-a-program', 'activities/record.ts', '../workflows/a.ts', 'workflows/a.ts'],
  ['workflows-are-a-program', 'workflows/stage.ts', '../activities/a.ts', 'activities/a.ts'],
  ['workers-are-on-top', 'workers/main.ts', '../api/a.ts', 'api/a.ts'],
  ['console-is-a-client', 'console/src/api.ts', '../../shared/kernel/ids.ts', 'shared/kernel/ids.ts'],
  ['nobody-imports-the-console', 'scripts/build.ts', '../console/src/api.ts', 'console/src/api.ts'],
  [
    'areas-through-their-face',
    'shared/domain/runs/start.ts',
    '../chips/store.ts',
    'shared/domain/chips/store.ts',
  ],
  [
    'programs-through-the-face',
    'api/main.ts',
    '../shared/domain/chips/store.ts',
    'shared/domain/chips/store.ts',
  ],
])('%s: %s must not import %s', async (rule, from, path, to) => {
  expect(await broken(imports, { [from]: of(path), [to]: VALUE })).toEqual([rule]);
});

test('types count for storeys, and are free between programs', async () => {
  const up = { 'shared/kernel/ids.ts': typeOf('../science/a.ts'), 'shared/science/a.ts': TYPE };
  expect(await broken(imports, up)).toEqual(['kernel-is-lowest']);
  const beside = { 'api/server.ts': typeOf('../activities/a.ts'), 'activities/a.ts': TYPE };
  expect(await broken(imports, beside)).toEqual([]);
});

test('two files that import each other are a cycle, types included', async () => {
  const files = {
    'shared/kernel/a.ts': `${typeOf('./b.ts')}${TYPE}`,
    'shared/kernel/b.ts': `${typeOf('./a.ts')}${TYPE}`,
  };
  expect(await broken(imports, files)).toEqual(['no-cycle-of-files']);
});

test('two areas that need each other are a cycle, whatever files they do it by', async () => {
  const files = {
    'shared/domain/chips/model.ts': typeOf('../runs/rules.ts'),
    'shared/domain/chips/rules.ts': TYPE,
    'shared/domain/runs/model.ts': typeOf('../chips/rules.ts'),
    'shared/domain/runs/rules.ts': TYPE,
  };
  expect(await broken(imports, files)).toEqual(['no-cycle-of-areas']);
});

test.each<[rule: string, from: string, source: string]>([
  ['workflows-are-deterministic', 'workflows/stage.ts', 'zod'],
  ['workflows-are-deterministic', 'workflows/stage.ts', 'node:fs'],
  ['science-is-pure', 'shared/science/fit.ts', 'mongodb'],
  ['science-is-pure', 'shared/science/fit.ts', 'node:fs/promises'],
  ['open-files-are-pure', 'shared/domain/chips/rules.ts', '@temporalio/client'],
])('%s: %s must not reach %s at run time, however far down', async (rule, from, source) => {
  const deep = { [from]: of('./deep.ts'), [join(dirname(from), 'deep.ts')]: `import '${source}';\n${VALUE}` };
  expect(await broken(runTime, deep)).toContain(rule);
  const typesOnly = { [from]: `import type * as types from '${source}';\nexport type T = typeof types;\n` };
  expect(await broken(runTime, typesOnly)).toEqual([]);
});

test.each<[rule: string, from: string, target: string]>([
  ['api-fits-nothing', 'api/routes/tasks/tasks.ts', 'shared/science/fitting/cosine.ts'],
  ['api-fits-nothing', 'api/routes/tasks/tasks.ts', 'shared/tasks/rabi/analysis.ts'],
  ['simulations-analyse-nothing', 'shared/tasks/rabi/simulation.ts', 'shared/tasks/rabi/analysis.ts'],
  [
    'simulations-analyse-nothing',
    'shared/tasks/common/simulation/sweeps.ts',
    'shared/science/figures/panels.ts',
  ],
])('%s: %s must not reach %s by what it imports', async (rule, from, target) => {
  const beside = join(dirname(from), 'deep.ts');
  const path = relative(dirname(from), target).replace(/^(?!\.)/, './');
  const files = { [target]: `${VALUE}${TYPE}` };
  expect(await broken(runTime, { ...files, [from]: of('./deep.ts'), [beside]: of(path) })).toEqual([rule]);
  expect(await broken(runTime, { ...files, [from]: typeOf(path) })).toEqual([]);
});

/** Lines of a file in which Biome finds code that is not pure, by our own overrides and plugins. */
async function impureLines(path: string, text: string): Promise<number[]> {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-structure-'));
  try {
    const { overrides }: { overrides: unknown } = JSON.parse(
      await readFile(join(root, 'biome.json'), 'utf8'),
    );
    const onlyOverrides = { linter: { rules: { preset: 'none' } }, overrides };
    await writeFile(join(directory, 'biome.json'), JSON.stringify(onlyOverrides));
    const plugin = '.biome-pure-code.grit';
    await copyFile(join(root, plugin), join(directory, plugin));
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
    const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
    const { stdout } = spawnSync(process.execPath, [biome, 'lint', '--reporter=github'], {
      cwd: directory,
      encoding: 'utf8',
    });
    return [...stdout.matchAll(/^::error title=plugin,.*line=(\d+),/gm)].map(([, line]) => Number(line));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

test('pure code reads no clock, draws no numbers of its own and knows no process; a time as a parameter is free', async () => {
  const breaches = [
    'export const a = Date.now();',
    'export const b = new Date();',
    'export const c = performance.now();',
    'export const d = setTimeout(() => {}, 1);',
    'export const e = Math.random();',
    "export const f = process.env['X'];",
    'export const g = globalThis.Date.now();',
    'export const h = crypto.randomUUID();',
  ];
  const free = 'export const free = (at: Date): Date => new Date(at.getTime());\n';
  const text = `${breaches.join('\n')}\n${free}`;
  for (const pure of [
    'shared/science/fit.ts',
    'shared/tasks/rabi/analysis.ts',
    'shared/domain/runs/end-rules.ts',
  ]) {
    expect(await impureLines(pure, text), pure).toEqual(breaches.map((_, index) => index + 1));
  }
  expect(await impureLines('shared/domain/runs/start.ts', text)).toEqual([]);
});

test('the families of our own tree are those that the rules speak of', async () => {
  const folders = await readdir(join(root, 'shared/tasks'), { withFileTypes: true });
  const families = folders.filter((entry) => entry.isDirectory() && entry.name !== 'common');
  for (const { name } of families) {
    expect(await readdir(join(root, 'shared/tasks', name)), name).toEqual(
      expect.arrayContaining(['definition.ts', 'analysis.ts']),
    );
  }
});
