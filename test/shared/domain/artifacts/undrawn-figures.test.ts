import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUndrawnFigures } from '../../../../shared/domain/artifacts/undrawn-figures.ts';
import type { Asker, ParsingPool } from '../../../../shared/domain/parsing/index.ts';
import { CalibronError } from '../../../../shared/kernel/errors.ts';

let root: string;
let folder: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'calibron-test-'));
  folder = join(root, 'fig');
  await mkdir(folder);
});
afterAll(() => rm(root, { recursive: true }));

/** The picture of a figure that is described at a time and not drawn. */
async function undrawn(name: string, at = new Date()): Promise<string> {
  const description = join(folder, `${name}.json`);
  await writeFile(`${description}.new`, name);
  await utimes(`${description}.new`, at, at);
  await rename(`${description}.new`, description);
  return join(folder, `${name}.png`);
}

const user: Asker = { kind: 'user', id: 'ada' };

/** Threads with answers set by the test, and the users they worked for. */
function threadsThat(answer: (asker: Asker) => ReturnType<ParsingPool['run']>) {
  const asked: string[] = [];
  const told: string[] = [];
  const log = { warn: () => {}, error: (_: object, message?: string) => told.push(message ?? '') };
  const parsing = {
    run: (_: unknown, asker: Asker) => {
      asked.push(asker.id);
      return answer(asker);
    },
  };
  return { asked, told, ...createUndrawnFigures(parsing, log) };
}

const png = Buffer.from('drawn by the API');

test('a figure that waits in vain for a thread is not taken for one that cannot be drawn', async () => {
  const picture = await undrawn('busy');
  let busy = true;
  const { provide } = threadsThat(async () => {
    if (busy) throw new CalibronError('too_many_requests', 'Too many files are being read.');
    return { png };
  });
  await expect(provide(picture, user)).rejects.toThrow('Too many files');
  busy = false;
  await provide(picture, user);
  expect(await readFile(picture)).toEqual(png);
});

test('a picture that cannot be stored is an error for who asks and for the operators, not a missing file', async () => {
  const [place, aside] = [join(root, 'loop', 'fig'), join(root, 'loop', 'aside')];
  await mkdir(place, { recursive: true });
  const description = join(place, 'figure.json');
  await writeFile(description, 'figure');
  const { provide, told } = threadsThat(async () => {
    await rename(place, aside);
    // Nothing can be written below a link to itself.
    await symlink(place, place);
    return { png };
  });
  await expect(provide(join(place, 'figure.png'), user)).rejects.toMatchObject({
    code: 'disk_unavailable',
    status: 503,
    retryAfter: 30,
  });
  expect(told).toEqual(['a picture cannot be stored']);
});

test('a picture whose directory is deleted while it is drawn is missing', async () => {
  const place = join(root, 'deleted', 'fig');
  await mkdir(place, { recursive: true });
  const description = join(place, 'figure.json');
  await writeFile(description, 'figure');
  const { provide, told } = threadsThat(async () => {
    await rm(place, { recursive: true });
    return { png };
  });
  await provide(join(place, 'figure.png'), user);
  expect(told).toEqual([]);
});

test('a figure that cannot be drawn is not tried again until its description changes', async () => {
  const picture = await undrawn('broken', new Date(0));
  const { provide, asked } = threadsThat(async () => ({ problem: 'it is no figure' }));
  await provide(picture, user);
  await provide(picture, user);
  expect(asked).toHaveLength(1);
  await undrawn('broken');
  await provide(picture, user);
  expect(asked).toHaveLength(2);
});

test('a drawing gives way to the picture that a worker drew meanwhile, and to a newer description', async () => {
  const drawn = await undrawn('meanwhile');
  await threadsThat(async () => {
    await writeFile(drawn, 'drawn by the worker');
    return { png };
  }).provide(drawn, user);
  expect(await readFile(drawn, 'utf8')).toBe('drawn by the worker');
  const again = await undrawn('again');
  await threadsThat(async () => {
    await undrawn('again');
    return { png };
  }).provide(again, user);
  expect((await readdir(folder)).filter((name) => name.endsWith('.png'))).not.toContain('again.png');
});

test('requests at the same time share one drawing, and later ones find the picture', async () => {
  const picture = await undrawn('shared');
  const { provide, asked } = threadsThat(async () => ({ png }));
  await Promise.all([user, user, { ...user, id: 'bob' }].map((asker) => provide(picture, asker)));
  await provide(picture, user);
  expect(asked).toEqual(['ada']);
  expect(await readFile(picture)).toEqual(png);
});

test('a request that shares a drawing is not refused by the limits of another asker', async () => {
  const picture = await undrawn('limited');
  const { provide, asked } = threadsThat(async ({ id }) => {
    if (id === 'greedy') throw new CalibronError('too_many_requests', 'Too many files are being read.');
    return { png };
  });
  const refused = provide(picture, { kind: 'user', id: 'greedy' });
  const shared = provide(picture, user);
  await expect(refused).rejects.toThrow('Too many files');
  await shared;
  expect(asked).toEqual(['greedy', 'ada']);
  expect(await readFile(picture)).toEqual(png);
});

test('a user who requests hundreds of figures delays no other, and is refused at their own limit', async () => {
  const going: (() => void)[] = [];
  let isHeld = true;
  const { provide, asked } = threadsThat(async () => {
    if (isHeld) await new Promise<void>((go) => going.push(go));
    return { png };
  });
  const pictures = await Promise.all(Array.from({ length: 203 }, (_, index) => undrawn(`many_${index}`)));
  const greedy: Asker = { kind: 'user', id: 'greedy' };
  const answers = Promise.allSettled(pictures.map((picture) => provide(picture, greedy)));
  const own = provide(await undrawn('one'), user);
  await expect.poll(() => going.length).toBe(2);
  going.shift()?.();
  await expect.poll(() => asked).toEqual(['greedy', 'greedy', 'ada']);
  isHeld = false;
  for (const go of going) go();
  await own;
  const refused = (await answers).flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  expect(refused).toHaveLength(1);
  expect(refused[0]).toMatchObject({ code: 'too_many_requests', status: 429 });
});

test('visitors draw beside users, one figure at a time', async () => {
  const going: (() => void)[] = [];
  const { provide, asked } = threadsThat(async () => {
    await new Promise<void>((go) => going.push(go));
    return { png };
  });
  const pictures = await Promise.all(['v1', 'v2', 'u1', 'u2'].map((name) => undrawn(name)));
  const askers: Asker[] = [
    { kind: 'visitor', id: 'address 1' },
    { kind: 'visitor', id: 'address 2' },
    { kind: 'user', id: 'ada' },
    { kind: 'user', id: 'bob' },
  ];
  const all = Promise.all(askers.map((asker, index) => provide(pictures[index] ?? '', asker)));
  await expect.poll(() => asked.toSorted()).toEqual(['ada', 'address 1', 'bob']);
  for (const go of going.splice(0)) go();
  await expect.poll(() => going.length).toBe(1);
  going[0]?.();
  await all;
});
