import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compiledFrom, compilePrograms } from '../../scripts/programs.ts';
import { packageRoot } from '../../shared/kernel/package-root.ts';

const root = fileURLToPath(packageRoot);
const tree = mkdtempSync(join(tmpdir(), 'calibron-programs-'));
const source = join(tree, 'api', 'main.ts');
const compiled = join(tree, 'dist', 'api', 'main.js');

beforeAll(async () => {
  for (const folder of compiledFrom.folders) {
    mkdirSync(join(tree, folder));
    writeFileSync(join(tree, folder, 'main.ts'), `export const name: string = '${folder}';\n`);
  }
  for (const file of compiledFrom.files) await copyFile(join(root, file), join(tree, file));
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
});
afterAll(() => rmSync(tree, { recursive: true }));

test('programs are compiled once, and again when a source has changed', async () => {
  expect(await compilePrograms(tree)).toBe(true);
  expect(readFileSync(compiled, 'utf8')).toContain("name = 'api'");
  expect(await compilePrograms(tree)).toBe(false);
  writeFileSync(source, "export const name: string = 'changed';\n");
  expect(await compilePrograms(tree)).toBe(true);
  expect(readFileSync(compiled, 'utf8')).toContain("name = 'changed'");
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

test('what is looked at for changes is what the compiler reads', () => {
  const [, included] =
    /"include": (\[[^\]]*\])/.exec(readFileSync(join(root, 'tsconfig.build.json'), 'utf8')) ?? [];
  expect(JSON.parse(included ?? '')).toEqual(compiledFrom.folders);
});
