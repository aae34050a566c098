import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { replaceTree } from '../../scripts/replace-tree.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-tree-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function tree(name: string, files: Record<string, string>): Promise<string> {
  const root = join(directory, name);
  await mkdir(join(root, 'inner'), { recursive: true });
  for (const [file, content] of Object.entries(files)) await writeFile(join(root, file), content);
  return root;
}

test('a tree takes what differs from another, keeps what is the same and lets go of the rest', async () => {
  const to = await tree('to', { 'same.js': '1', 'inner/old.js': '1', 'inner/gone.js': '1' });
  const from = await tree('from', { 'same.js': '1', 'inner/old.js': '2', 'new.js': '3' });
  const before = await stat(join(to, 'same.js'));
  await replaceTree(from, to);
  expect((await readdir(to, { recursive: true })).sort()).toEqual([
    'inner',
    'inner/old.js',
    'new.js',
    'same.js',
  ]);
  expect(await readFile(join(to, 'inner/old.js'), 'utf8')).toBe('2');
  expect(await stat(join(to, 'same.js'))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
});

test('a file that names a new one is replaced when the new one is there', async () => {
  const large = 'x'.repeat(3_000_000);
  const to = await tree('naming', { 'main.js': 'old' });
  const from = await tree('named', { 'main.js': 'new', 'chunk.js': large });
  let replacing = true;
  const replaced = replaceTree(from, to).finally(() => {
    replacing = false;
  });
  while (replacing) {
    if ((await readFile(join(to, 'main.js'), 'utf8')) === 'new')
      expect(await readdir(to)).toContain('chunk.js');
  }
  await replaced;
  expect(await readFile(join(to, 'chunk.js'), 'utf8')).toBe(large);
});

test('what a killed replacement left goes, what another puts in place at the moment stays', async () => {
  const to = await tree('left', { 'a.js': '1', 'a.js.1.new': '2', 'a.js.2.new': '3' });
  await utimes(join(to, 'a.js.1.new'), 0, 0);
  await replaceTree(await tree('whole', { 'a.js': '1' }), to);
  expect((await readdir(to)).sort()).toEqual(['a.js', 'a.js.2.new', 'inner']);
});

test('readers see the old file or the new one, never a part, whoever else replaces it', async () => {
  const [one, other] = ['a', 'b'].map((letter) => letter.repeat(300_000));
  const to = await tree('read', { 'file.js': one ?? '' });
  const sources = await Promise.all([one, other].map((text = '', n) => tree(`s${n}`, { 'file.js': text })));
  let replacing = true;
  const replaced = (async () => {
    for (let round = 0; round < 30; round += 1) await replaceTree(sources[round % 2] ?? '', to);
  })().finally(() => {
    replacing = false;
  });
  const seen = new Set<string>();
  while (replacing) seen.add(await readFile(join(to, 'file.js'), 'utf8'));
  await replaced;
  for (const text of seen) expect([one, other]).toContain(text);
});
