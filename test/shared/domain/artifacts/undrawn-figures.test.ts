import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUndrawnFigures } from '../../../../shared/domain/artifacts/undrawn-figures.ts';
import type { ParsingPool } from '../../../../shared/domain/parsing/index.ts';
import { CalibronError } from '../../../../shared/kernel/errors.ts';

let root: string;
let folder: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'calibron-test-'));
  folder = join(root, 'fig');
  await mkdir(folder);
});
afterAll(() => rm(root, { recursive: true }));

/** The picture of a figure that was described at a time, long ago, and never drawn. */
async function undrawn(name: string, at = new Date(0)): Promise<string> {
  const description = join(folder, `${name}.json`);
  await writeFile(`${description}.new`, name);
  await utimes(`${description}.new`, at, at);
  await rename(`${description}.new`, description);
  return join(folder, `${name}.png`);
}

/** Threads that answer as they are told, and how often they were asked. */
function threadsThat(answer: () => ReturnType<ParsingPool['run']>) {
  const asked: string[] = [];
  const told: string[] = [];
  const log = { warn: () => {}, error: (_: object, message?: string) => told.push(message ?? '') };
  const parsing = {
    run: ({ kind }: { kind: string }) => {
      asked.push(kind);
      return answer();
    },
    destroy: async () => {},
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
  await expect(provide(picture)).rejects.toThrow('Too many files');
  busy = false;
  await provide(picture);
  expect(await readFile(picture)).toEqual(png);
});

test('a picture that cannot be stored is an error for who asks and for the operators, not a missing file', async () => {
  const [place, aside] = [join(root, 'loop', 'fig'), join(root, 'loop', 'aside')];
  await mkdir(place, { recursive: true });
  const description = join(place, 'figure.json');
  await writeFile(description, 'figure');
  await utimes(description, new Date(0), new Date(0));
  const { provide, told } = threadsThat(async () => {
    await rename(place, aside);
    // Nothing can be written below a link to itself.
    await symlink(place, place);
    return { png };
  });
  await expect(provide(join(place, 'figure.png'))).rejects.toMatchObject({
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
  await utimes(description, new Date(0), new Date(0));
  const { provide, told } = threadsThat(async () => {
    await rm(place, { recursive: true });
    return { png };
  });
  await provide(join(place, 'figure.png'));
  expect(told).toEqual([]);
});

test('a figure that cannot be drawn is not tried again until it is described anew', async () => {
  const picture = await undrawn('broken');
  const { provide, asked } = threadsThat(async () => ({ problem: 'it is no figure' }));
  await provide(picture);
  await provide(picture);
  expect(asked).toHaveLength(1);
  await undrawn('broken', new Date(1000));
  await provide(picture);
  expect(asked).toHaveLength(2);
});

test('a drawing gives way to the picture that a worker drew meanwhile, and to a newer description', async () => {
  const drawn = await undrawn('meanwhile');
  await threadsThat(async () => {
    await writeFile(drawn, 'drawn by the worker');
    return { png };
  }).provide(drawn);
  expect(await readFile(drawn, 'utf8')).toBe('drawn by the worker');
  const again = await undrawn('again');
  await threadsThat(async () => {
    await undrawn('again');
    return { png };
  }).provide(again);
  expect((await readdir(folder)).filter((name) => name.endsWith('.png'))).not.toContain('again.png');
});
