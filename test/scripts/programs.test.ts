import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { entries, PLANNER } from '../../scripts/compile.ts';
import { compiledFrom } from '../../scripts/compiled.mjs';
import { compilePrograms } from '../../scripts/programs.ts';
import { packageRoot } from '../../shared/kernel/package-root.ts';

const root = fileURLToPath(packageRoot);
const tree = mkdtempSync(join(tmpdir(), 'calibron-programs-'));
const source = join(tree, 'api', 'main.ts');
const compiled = join(tree, 'dist', 'api', 'main.js');

beforeAll(async () => {
  for (const folder of compiledFrom.folders) mkdirSync(join(tree, folder));
  for (const entry of [...entries, PLANNER]) {
    mkdirSync(dirname(join(tree, entry)), { recursive: true });
    writeFileSync(join(tree, entry), `export const name: string = '${entry}';\n`);
  }
  for (const file of compiledFrom.files) await copyFile(join(root, file), join(tree, file));
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
});
afterAll(() => rmSync(tree, { recursive: true }));

test('programs are compiled once, and again when a source has changed', async () => {
  expect(await compilePrograms(tree)).toBe(true);
  expect(readFileSync(compiled, 'utf8')).toContain('name = "api/main.ts"');
  expect(await compilePrograms(tree)).toBe(false);
  writeFileSync(source, "export const name: string = 'changed';\n");
  expect(await compilePrograms(tree)).toBe(true);
  expect(readFileSync(compiled, 'utf8')).toContain('name = "changed"');
  expect(await compilePrograms(tree)).toBe(false);
});

test('programs are compiled again when their settings or a compiled file has changed, is away or is too many', async () => {
  await compilePrograms(tree);
  const settings = join(tree, 'tsconfig.json');
  writeFileSync(settings, `${readFileSync(settings, 'utf8')}\n`);
  expect(await compilePrograms(tree)).toBe(true);
  const before = readFileSync(compiled, 'utf8');
  writeFileSync(compiled, 'half wri');
  expect(await compilePrograms(tree)).toBe(true);
  expect(readFileSync(compiled, 'utf8')).toBe(before);
  rmSync(compiled);
  expect(await compilePrograms(tree)).toBe(true);
  expect(readFileSync(compiled, 'utf8')).toBe(before);
  writeFileSync(join(tree, 'dist', 'api', 'left.js'), '');
  expect(await compilePrograms(tree)).toBe(true);
  expect(await compilePrograms(tree)).toBe(false);
});

test('what another start puts in place is not taken for what was compiled', async () => {
  await compilePrograms(tree);
  const foreign = `${compiled}.1.new`;
  writeFileSync(foreign, '');
  for (const _ of ['once', 'again']) expect(await compilePrograms(tree)).toBe(true);
  rmSync(foreign);
  expect(await compilePrograms(tree)).toBe(false);
});

test('sources that cannot be compiled are told of, each time', async () => {
  const before = readFileSync(source, 'utf8');
  writeFileSync(source, 'export const = ;\n');
  for (const _ of ['once', 'again']) await expect(compilePrograms(tree)).rejects.toThrow('api/main.ts');
  writeFileSync(source, before);
  await compilePrograms(tree);
  expect(readFileSync(compiled, 'utf8')).toContain('name');
});

test('an error of a compiled program tells of the source and its line', async () => {
  const before = readFileSync(source, 'utf8');
  const positions = JSON.stringify(join(root, 'shared', 'kernel', 'source-positions.ts'));
  writeFileSync(
    source,
    `import { tellSourcePositions } from ${positions};
interface Told { text: string }
tellSourcePositions();

function tell({ text }: Told): never {
  throw new TypeError(text);
}
try { tell({ text: 'as told' }); } catch (thrown) { console.log(thrown instanceof Error ? thrown.stack : ''); }
`,
  );
  await compilePrograms(tree);
  const lines = execFileSync(process.execPath, [compiled], { encoding: 'utf8' }).split('\n');
  writeFileSync(source, before);
  expect(lines.slice(0, 3)).toEqual([
    'TypeError: as told',
    expect.stringMatching(/^ {4}at tell \(file:.*\/api\/main\.ts:6:9\)$/),
    expect.stringMatching(/^ {4}at file:.*\/api\/main\.ts:8:7$/),
  ]);
});

test('what threads run and what is loaded when it is needed is compiled to a file of its own', () => {
  const named = new Set<string>();
  for (const file of compiledSources()) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, name = ''] of text.matchAll(/compiledModule\('([^']+)'\)/g)) named.add(name);
    for (const [, name = ''] of text.matchAll(/\bimport\('(\.[^']+)'\)/g))
      named.add(join(dirname(file), name));
  }
  expect(named.size).toBeGreaterThan(0);
  expect(entries).toEqual(expect.arrayContaining([...named]));
});

/** Packages that a program loads only for an engine of its own, which an image does not run. */
const FOR_OWN_ENGINES = ['mongodb-memory-server-core'];

test('programs of the image, among them backup and restore, import only packages that it has', async () => {
  const { metafile } = await build({
    absWorkingDir: root,
    // npm start needs the whole tree.
    entryPoints: entries.filter((entry) => !entry.startsWith('scripts/start/')),
    ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', packages: 'external' },
    ...{ write: false, outdir: tree, metafile: true, logLevel: 'silent' },
  });
  const { dependencies } = z
    .object({ dependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  const needed = imports
    .filter(({ path, external, kind }) => {
      const isOfEngines = FOR_OWN_ENGINES.some((name) => `${path}/`.startsWith(`${name}/`));
      const isLater = kind === 'dynamic-import' && isOfEngines;
      return external && !isBuiltin(path) && !isLater;
    })
    .map(({ path }) =>
      path
        .split('/')
        .slice(0, path.startsWith('@') ? 2 : 1)
        .join('/'),
    );
  expect(needed).toContain('mongodb');
  expect([...new Set(needed)].filter((name) => dependencies[name] === undefined)).toEqual([]);
});

test('what is looked at for changes is what the compiler reads', () => {
  const read = compiledSources();
  expect(read).toContain('api/server.ts');
  expect(read.filter((name) => !compiledFrom.folders.includes(name.split('/')[0] ?? ''))).toEqual([]);
});

/** The sources that our programs were compiled from, by their paths in the tree. */
function compiledSources(): string[] {
  const dist = join(root, 'dist');
  const maps = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.map'),
  );
  const read = maps.flatMap((name) => {
    const { sources } = z
      .object({ sources: z.array(z.string()) })
      .parse(JSON.parse(readFileSync(join(dist, name), 'utf8')));
    return sources.map((each) => relative(root, join(dist, dirname(name), each)));
  });
  return [...new Set(read)];
}
