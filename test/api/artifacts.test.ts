import { mkdir, readdir, readFile, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'content-disposition';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { composeFigure, pointsTrace } from '../../shared/science/figures/compose.ts';
import { drawPng } from '../../shared/science/figures/draw.ts';
import { userNamed } from '../support/ids.ts';
import { decodePng } from '../support/png.ts';
import { type Api, type Call, expectError, expectProblems, startApi } from './harness.ts';

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(2000, 7)]);

let api: Api;
let root: string;
let folder: string;

beforeAll(async () => {
  api = await startApi();
  root = api.settings.CALIB_DATA_PATH;
  folder = join(root, 'project', 'CHIP', '20260102', '000', 'fig');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'CheckRabi_0_0.png'), png);
  await writeFile(join(folder, 'CheckRabi_0_0.json'), '{"data":[],"layout":{}}');
  await writeFile(join(folder, 'CheckRabi_0_0.nc'), 'CDF');
  await writeFile(join(folder, 'notes.txt'), 'text');
  await writeFile(join(api.directory, 'outside.png'), png);
  await mkdir(`${root}-next-door`);
  await writeFile(join(`${root}-next-door`, 'a.png'), png);
});
afterAll(() => api.close());

const figure = (path: string, headers: Record<string, string> = {}) =>
  api.call('/executions/figure', { query: { path }, headers });
const artifact = (path: string, call: Call = {}) =>
  api.call('/executions/artifact', { query: { path }, ...call });

/** A figure that was described long ago and never drawn. */
async function leaveUndrawn(path: string, description: string): Promise<void> {
  await writeFile(path.replace(/png$/, 'json'), description);
}

describe('a figure', () => {
  test('is served to anyone who knows its path', async () => {
    const answer = await figure(join(folder, 'CheckRabi_0_0.png'));
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('image/png');
    expect(answer.headers['content-length']).toBe(String(png.length));
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.bytes.equals(png)).toBe(true);
  });

  test('is not sent again to a client that has it, until it changes', async () => {
    const path = join(folder, 'changing.png');
    await writeFile(path, png);
    const etag = String((await figure(path)).headers.etag);
    for (const header of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await figure(path, { 'if-none-match': header });
      expect(answer.status).toBe(304);
      expect(answer.text).toBe('');
      expect(answer.headers.etag).toBe(etag);
    }
    expect((await figure(path, { 'if-none-match': '"other"' })).status).toBe(200);
    await utimes(path, new Date(), new Date(Date.now() + 5000));
    expect((await figure(path, { 'if-none-match': etag })).status).toBe(200);
  });

  test('is drawn again for dark pages, from the description beside it', async () => {
    const described = composeFigure([pointsTrace('data', [1, 2], [3, 4])], { title: 'a', x: 'x', y: 'y' });
    await writeFile(join(folder, 'drawn.png'), drawPng(described));
    await writeFile(join(folder, 'drawn.json'), JSON.stringify(described));
    // Visitors may draw for three seconds, which a busy machine can take.
    const call = api.as(await api.makePerson());
    const drawn = (name: string, theme: string) =>
      call('/executions/figure', { query: { path: join(folder, name), theme } });
    const corner = ({ bytes }: Awaited<ReturnType<typeof drawn>>) => [...decodePng(bytes).pixels.slice(0, 3)];
    expect(corner(await drawn('drawn.png', 'light'))).toEqual([255, 255, 255]);
    const dark = await drawn('drawn.png', 'dark');
    expect(dark.headers['content-type']).toBe('image/png');
    expect(Math.max(...corner(dark))).toBeLessThan(60);
    const again = { 'if-none-match': String(dark.headers['etag']) };
    const query = { path: join(folder, 'drawn.png'), theme: 'dark' };
    expect((await call('/executions/figure', { query, headers: again })).status).toBe(304);
    const light = { path: join(folder, 'drawn.png') };
    expect((await call('/executions/figure', { query: light, headers: again })).status).toBe(200);
    await writeFile(join(folder, 'alone.png'), png);
    for (const asItIs of ['CheckRabi_0_0.png', 'alone.png']) {
      expect((await drawn(asItIs, 'dark')).bytes).toEqual((await drawn(asItIs, 'light')).bytes);
    }
    const page = await Promise.all(Array.from({ length: 12 }, () => drawn('drawn.png', 'dark')));
    expect(page.map(({ status }) => status)).toEqual(page.map(() => 200));
    expectError(await drawn('missing.png', 'dark'), 404, 'not_found');
    expect((await drawn('drawn.png', 'blue')).status).toBe(422);
  });

  test('is drawn on request where no worker has drawn it', async () => {
    const described = composeFigure([pointsTrace('data', [1, 2], [3, 4])], { title: 'a', x: 'x', y: 'y' });
    const paths = ['left_0', 'left_1', 'left_2'].map((name) => join(folder, `${name}.png`));
    for (const path of paths) await leaveUndrawn(path, JSON.stringify(described));
    const answers = await Promise.all([paths[0], paths[0]].map((path) => figure(path ?? '')));
    for (const { status, bytes } of answers) {
      expect(status).toBe(200);
      expect(decodePng(bytes).width).toBe(900);
    }
    expect((await readFile(paths[0] ?? '')).equals(answers[0]?.bytes ?? png)).toBe(true);
    const query = { paths: paths.slice(0, 2) };
    const named = unzipSync((await api.call('/executions/artifacts/archive', { query })).bytes);
    expect(Object.keys(named)).toEqual(['left_0.png', 'left_1.png']);
    expect(decodePng(named['left_1.png'] ?? png).width).toBe(900);
    const call = api.as(await api.makePerson());
    const archive = await call('/files/zip', { query: { path: folder } });
    const names = Object.keys(unzipSync(archive.bytes));
    expect(names).toEqual([...new Set(names)]);
    expect(names).toEqual(expect.arrayContaining(['left_0.png', 'left_1.png', 'left_2.json', 'left_2.png']));
    expect(await readdir(folder)).toContain('left_2.png');
    await leaveUndrawn(join(folder, 'broken.png'), '{"data":"none"}');
    expectError(await figure(join(folder, 'broken.png')), 404, 'not_found');
    const broken = await call('/files/zip', { query: { path: join(folder, 'broken.png') } });
    expectError(broken, 404, 'not_found');
    const elsewhere = join(root, 'project', 'CHIP', 'more.png');
    await leaveUndrawn(elsewhere, JSON.stringify(described));
    expectError(await figure(elsewhere), 404, 'not_found');
  });

  test('is 404 when it is missing, a directory or of another kind', async () => {
    for (const path of [
      join(folder, 'missing.png'),
      folder,
      root,
      join(folder, 'CheckRabi_0_0.json'),
      join(folder, 'notes.txt'),
      join(folder, 'CheckRabi_0_0.png', 'more'),
      `${join(folder, 'x'.repeat(300))}.png`,
      '',
    ]) {
      expectError(await figure(path), 404, 'not_found');
    }
  });

  test('is 404 outside the root, in whatever way the path leaves it', async () => {
    await symlink(join(api.directory, 'outside.png'), join(folder, 'link.png'));
    await symlink(api.directory, join(folder, 'up'));
    await symlink(join(folder, 'loop.png'), join(folder, 'loop.png'));
    for (const path of [
      join(api.directory, 'outside.png'),
      '/etc/passwd',
      `${folder}/../../../../../../outside.png`,
      '../outside.png',
      `${root}-next-door/a.png`,
      join(folder, 'link.png'),
      join(folder, 'up', 'outside.png'),
      join(folder, 'loop.png'),
      `${join(folder, 'CheckRabi_0_0.png')}\0`,
      `/etc/passwd\0${join(folder, 'CheckRabi_0_0.png')}`,
      `file://${join(folder, 'CheckRabi_0_0.png')}`,
    ]) {
      expectError(await figure(path), 404, 'not_found');
    }
  });

  test('stays readable where the root itself is a link', async () => {
    await rename(root, `${root}-real`);
    await symlink(`${root}-real`, root);
    expect((await figure(join(folder, 'CheckRabi_0_0.png'))).status).toBe(200);
    expect((await figure(join(folder, 'link.png'))).status).toBe(404);
  });

  test('is 422 without a path', async () => {
    expectProblems(await api.call('/executions/figure'), [['missing', 'query', 'path']]);
    expectProblems(await api.call('/executions/figure?path=a&path=b'), [['string_type', 'query', 'path']]);
  });

  test('is refused to a token that is not valid', async () => {
    const path = join(folder, 'CheckRabi_0_0.png');
    expectError(await figure(path, { authorization: 'Bearer nonsense' }), 401, 'not_authenticated');
    const person = await api.makePerson();
    expect((await figure(path, { authorization: `Bearer ${person.token}` })).status).toBe(200);
    await api.users.updateOne({ _id: userNamed(person.id) }, { $set: { disabled: true } });
    expectError(await figure(path, { authorization: `Bearer ${person.token}` }), 403, 'account_disabled');
  });
});

describe('a part of a file', () => {
  const bytes = Buffer.from('0123456789');
  let path: string;
  const part = (headers: Record<string, string>) => artifact(path, { headers });

  beforeAll(async () => {
    path = join(folder, 'digits.csv');
    await writeFile(path, bytes);
  });

  test.each([
    ['bytes=0-3', '0123', '0-3'],
    ['bytes=4-', '456789', '4-9'],
    ['bytes=-2', '89', '8-9'],
    ['bytes=7-100', '789', '7-9'],
    ['bytes=9-9', '9', '9-9'],
  ])('is sent for %s', async (range, text, sent) => {
    const answer = await part({ range });
    expect(answer.status).toBe(206);
    expect(answer.text).toBe(text);
    expect(answer.headers).toMatchObject({
      'content-range': `bytes ${sent}/10`,
      'content-length': String(text.length),
      'accept-ranges': 'bytes',
    });
  });

  test('is 416 where the file has none', async () => {
    for (const range of ['bytes=10-', 'bytes=20-30', 'bytes=-0']) {
      const answer = await part({ range });
      expectError(answer, 416, 'range_not_satisfiable');
      expect(answer.headers['content-range']).toBe('bytes */10');
    }
  });

  test('is the whole for ranges that mean nothing, that are several, or of an earlier file', async () => {
    const { headers } = await part({});
    const earlier = ['"other"', new Date(0).toUTCString()];
    for (const given of [
      { range: 'lines=1-2' },
      { range: 'bytes' },
      { range: 'bytes=0-1,4-5' },
      ...earlier.map((condition) => ({ range: 'bytes=0-3', 'if-range': condition })),
    ]) {
      const answer = await part(given);
      expect(answer.status).toBe(200);
      expect(answer.text).toBe('0123456789');
    }
    for (const same of [String(headers.etag), String(headers['last-modified'])]) {
      expect((await part({ range: 'bytes=0-3', 'if-range': same })).status).toBe(206);
    }
  });

  test('is nothing for HEAD, with all headers', async () => {
    const answer = await artifact(path, { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-length': '10',
      'content-type': 'text/csv; charset=utf-8',
    });
    expect(answer.bytes.length).toBe(0);
  });

  test('is not sent when nothing changed since', async () => {
    const { headers } = await part({});
    const since = { 'if-modified-since': String(headers['last-modified']) };
    expect((await part(since)).status).toBe(304);
    expect((await part({ ...since, 'if-none-match': '"other"' })).status).toBe(200);
    expect((await part({ 'if-modified-since': new Date(0).toUTCString() })).status).toBe(200);
  });
});

test('an empty file is sent as one', async () => {
  await writeFile(join(folder, 'empty.csv'), '');
  const answer = await artifact(join(folder, 'empty.csv'));
  expect(answer.status).toBe(200);
  expect(answer.headers['content-length']).toBe('0');
  expect(answer.text).toBe('');
});

test('a name with letters of any language and quotes is a safe header', async () => {
  const name = 'Größe "1"\n.json';
  await writeFile(join(folder, name), '{}');
  const answer = await artifact(join(folder, name));
  const header = String(answer.headers['content-disposition']);
  expect(parse(header)).toMatchObject({ type: 'attachment', parameters: { filename: 'Größe "1"_.json' } });
});

test('raw data is served as what it is, to be looked at', async () => {
  const answer = await api.call('/files/raw-data', { query: { path: join(folder, 'CheckRabi_0_0.nc') } });
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('application/x-netcdf');
  expect(answer.headers['content-disposition']).toBeUndefined();
  expect(answer.text).toBe('CDF');
  expectProblems(await api.call('/files/raw-data'), [['missing', 'query', 'path']]);
});

describe('an artifact', () => {
  test('is a download with the type of its kind', async () => {
    for (const [name, type] of [
      ['CheckRabi_0_0.json', 'application/json'],
      ['CheckRabi_0_0.nc', 'application/x-netcdf'],
      ['CheckRabi_0_0.png', 'image/png'],
    ] as const) {
      const answer = await artifact(join(folder, name));
      expect(answer.status).toBe(200);
      expect(String(answer.headers['content-type'])).toContain(type);
      expect(answer.headers['content-disposition']).toBe(`attachment; filename=${name}`);
    }
    expect((await artifact(join(folder, 'CheckRabi_0_0.nc'))).text).toBe('CDF');
  });

  test('is 404 for other files and outside the root, 422 without a path', async () => {
    for (const path of [
      join(folder, 'notes.txt'),
      join(api.directory, 'token-secret'),
      '/etc/passwd',
      folder,
    ]) {
      expectError(await artifact(path), 404, 'not_found');
    }
    expectProblems(await api.call('/executions/artifact'), [['missing', 'query', 'path']]);
  });
});
