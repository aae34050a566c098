import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDataFile } from '../../../../shared/domain/artifacts/calibration-data.ts';
import { zipOf } from '../../../../shared/kernel/files/archive.ts';
import { contentOf } from '../../../../shared/kernel/files/archive-content.ts';
import { replaceFile, writeInside } from '../../../../shared/kernel/files/atomic-write.ts';
import { filesBelow } from '../../../../shared/kernel/files/directory-walk.ts';
import { openInside } from '../../../../shared/kernel/files/paths.ts';

let directory: string;
let root: string;
let outside: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-paths-'));
  [root, outside] = [join(directory, 'root'), join(directory, 'outside')];
  await mkdir(join(root, 'given'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(root, 'given', 'a.txt'), 'inside');
  await writeFile(join(outside, 'a.txt'), 'secret');
  await symlink(outside, join(directory, 'away'));
});
afterAll(() => rm(directory, { recursive: true }));

/** Lets a directory and a link that leads elsewhere take turns under one name, until the work is done. */
async function whileSwapped(name: string, link: string, work: () => Promise<void>): Promise<void> {
  const place = join(root, name);
  let done = false;
  const swapping = (async () => {
    // Turns of different length meet every moment of an opening.
    for (let turn = 0; !done; turn++) {
      await rename(place, join(directory, 'kept'));
      await rename(join(directory, link), place);
      for (let pause = turn % 7; pause > 0; pause--) await stat(root);
      await rename(place, join(directory, link));
      await rename(join(directory, 'kept'), place);
      for (let pause = turn % 23; pause > 0; pause--) await stat(root);
    }
  })();
  await work().finally(() => {
    done = true;
  });
  await swapping;
}

test('a directory that becomes a link between check and opening gives nothing away', async () => {
  const seen = new Map<string, number>();
  await whileSwapped('given', 'away', async () => {
    for (let attempt = 0; attempt < 2000; attempt++) {
      const file = await openInside(root, 'given/a.txt');
      const result = typeof file === 'string' ? file : await file.handle.readFile('utf8');
      if (typeof file !== 'string') await file.handle.close();
      seen.set(result, (seen.get(result) ?? 0) + 1);
    }
  });
  expect([...seen.keys()]).not.toContain('secret');
  expect(seen.get('inside')).toBeGreaterThan(0);
  expect(seen.size).toBeGreaterThan(1);
});

test("a directory that becomes a link into another project gives that project's files to nobody", async () => {
  for (const project of ['mine', 'theirs']) {
    await mkdir(join(root, project, 'CHIP'), { recursive: true });
    await writeFile(join(root, project, 'CHIP', 'a.json'), project);
  }
  await symlink(join(root, 'theirs', 'CHIP'), join(directory, 'across'));
  const listed = join(root, 'mine', 'CHIP');
  const opened = async () => (await openDataFile(root, 'mine/CHIP/a.json')).content();
  const bundled = async () => (await (await contentOf(listed))[0]?.open()) ?? null;
  const seen = new Set<string>();
  await whileSwapped('mine/CHIP', 'across', async () => {
    // Without the look at the open file one of twelve readings gives the other project away.
    for (let attempt = 0; attempt < 300; attempt++) {
      for (const read of [opened, bundled]) {
        const content = await read().catch(() => null);
        seen.add(content ? (await content.toArray()).join('') : 'nothing');
      }
    }
  });
  expect(seen).toEqual(new Set(['mine', 'nothing']));
});

test('a file is read as it was opened, whatever takes its name', async () => {
  await writeFile(join(root, 'figure.txt'), 'first');
  const file = await openInside(root, 'figure.txt');
  if (typeof file === 'string') throw new Error(file);
  await rm(join(root, 'figure.txt'));
  await symlink(join(outside, 'a.txt'), join(root, 'figure.txt'));
  expect(await file.content().toArray()).toEqual([Buffer.from('first')]);
  expect(await openInside(root, 'figure.txt')).toBe('outside');
});

test('a file that is written again and again is read whole each time, alone and in an archive', async () => {
  const place = join(root, 'written.txt');
  const contents = ['a', 'b'].map((letter) => letter.repeat(5000));
  await replaceFile(place, contents[0] ?? '');
  let done = false;
  const writing = (async () => {
    for (let turn = 0; !done; turn++) await replaceFile(place, contents[turn % 2] ?? '');
  })();
  const seen = new Set<string>();
  try {
    for (let attempt = 0; attempt < 1000; attempt++) {
      const file = await openInside(root, 'written.txt');
      seen.add(typeof file === 'string' ? file : (await file.content().toArray()).join(''));
      const [entry] = await contentOf(place);
      seen.add(((await (await entry?.open())?.toArray()) ?? ['left out']).join(''));
    }
  } finally {
    done = true;
    await writing;
  }
  expect(seen).toEqual(new Set(contents));
});

test('a file that goes away before its turn in the archive of a directory was not there', async () => {
  const listed = join(root, 'listed');
  await mkdir(listed);
  for (const name of ['first.txt', 'second.txt', 'third.txt']) await writeFile(join(listed, name), name);
  const entries = await contentOf(listed);
  await rename(join(listed, 'second.txt'), join(listed, 'renamed.txt'));
  const files = unzipSync(await buffer(zipOf(entries)));
  expect(Object.keys(files)).toEqual(['first.txt', 'third.txt']);
  const [alone] = await contentOf(join(listed, 'renamed.txt'));
  await rm(join(listed, 'renamed.txt'));
  await expect(alone?.open()).rejects.toThrow('There is no such file.');
});

test('a root that is not there has nothing in it', async () => {
  expect(await openInside(join(directory, 'nowhere'), 'a.txt')).toBe('missing');
  expect(await openInside(join(directory, 'nowhere'), '../outside/a.txt')).toBe('outside');
});

test('a write leaves the old content or the new one, and nothing beside it', async () => {
  await writeInside(root, 'deep/er/file.txt', 'old');
  await Promise.all(
    Array.from({ length: 30 }, (_, index) => writeInside(root, 'deep/er/file.txt', `new ${index}`)),
  );
  expect(await readFile(join(root, 'deep/er/file.txt'), 'utf8')).toMatch(/^new \d+$/);
  expect(await readdir(join(root, 'deep/er'))).toEqual(['file.txt']);
});

test('a replacement that is called off, or fails, leaves the old content and nothing beside it', async () => {
  const file = join(root, 'a.txt');
  await replaceFile(file, 'old');
  expect(await replaceFile(file, 'new', { holds: async () => false })).toBe(false);
  const broken = () => Promise.reject(new Error('broken'));
  await expect(replaceFile(file, 'new', { holds: broken })).rejects.toThrow('broken');
  expect(await readFile(file, 'utf8')).toBe('old');
  expect((await readdir(root)).filter((name) => name.endsWith('.partial'))).toEqual([]);
});

test('a write goes through no link that leads away, and replaces none', async () => {
  await symlink(outside, join(root, 'link'));
  await symlink(join(outside, 'new.txt'), join(root, 'link.txt'));
  await symlink(join(outside, 'nothing'), join(root, 'dangling'));
  expect(await writeInside(root, 'link/new.txt', 'x')).toBe('outside');
  expect(await writeInside(root, 'link/deeper/new.txt', 'x')).toBe('outside');
  expect(await writeInside(root, 'link.txt', 'x')).toBe('not_a_file');
  expect(await writeInside(root, 'dangling/new.txt', 'x')).toBe('not_a_file');
  expect(await writeInside(root, '../outside/new.txt', 'x')).toBe('outside');
  expect(await readdir(outside)).toEqual(['a.txt']);
});

test('a walk follows no link and ends', async () => {
  await symlink(root, join(root, 'deep', 'round'));
  expect((await filesBelow(join(root, 'deep'))).map(({ relativePath }) => relativePath)).toEqual([
    'er/file.txt',
  ]);
});
