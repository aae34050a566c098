import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { type ArchiveEntry, distinctNames, zipOf } from '../../../../shared/kernel/files/archive.ts';

const entry = (name: string, open: ArchiveEntry['open'], size = 1): ArchiveEntry => ({
  name,
  size,
  modified: new Date('2026-01-02T03:04:06Z'),
  open,
});

test('names that are there already get a number, also where that name is taken', () => {
  expect(distinctNames(['a.png', 'a.png', 'b', 'a.png', 'a_2.png', 'A.PNG', 'b', '.x', '.x'])).toEqual([
    'a.png',
    'a_2.png',
    'b',
    'a_3.png',
    'a_2_2.png',
    'A_4.PNG',
    'b_2',
    '.x',
    '.x_2',
  ]);
});

test('an archive has its files one after another, and opens none before its turn', async () => {
  let open = 0;
  let most = 0;
  const content = (text: string) => async () => {
    most = Math.max(most, ++open);
    return Readable.from([Buffer.from(text)]).once('close', () => open--);
  };
  const bytes = await buffer(
    zipOf(['one', 'two', 'three'].map((text) => entry(`${text}.txt`, content(text)))),
  );
  const files = Object.entries(unzipSync(bytes)).map(([name, read]) => [name, Buffer.from(read).toString()]);
  expect(files).toEqual([
    ['one.txt', 'one'],
    ['two.txt', 'two'],
    ['three.txt', 'three'],
  ]);
  expect(most).toBe(1);
});

test('an archive of a file that cannot be opened any more breaks off', async () => {
  const archive = zipOf([
    entry('a.txt', async () => Readable.from([Buffer.from('a')])),
    entry('b.txt', () => Promise.reject(new Error('gone'))),
  ]);
  await expect(buffer(archive)).rejects.toThrow('gone');
});

test('an archive that is no longer read closes its open file', async () => {
  const endless = new Readable({ read: () => setImmediate(() => endless.push(Buffer.alloc(65_536))) });
  const archive = zipOf([entry('endless.png', async () => endless)]);
  await new Promise((read) => archive.once('data', read));
  const closed = new Promise((ended) => endless.once('close', ended));
  archive.destroy();
  await closed;
  expect(endless.destroyed).toBe(true);
});

test('more than 2 GiB are refused before anything is opened', () => {
  const open = () => Promise.reject(new Error('opened'));
  const half = 1024 ** 3;
  expect(() => zipOf([entry('a', open, half), entry('b', open, half + 1)])).toThrow('2 GiB');
});
