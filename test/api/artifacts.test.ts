import { mkdir, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, expectError, expectProblems, startApi } from './harness.ts';

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
const artifact = (path: string) => api.call('/executions/artifact', { query: { path } });

describe('a figure', () => {
  test('is served to anyone who knows its path', async () => {
    const answer = await figure(join(folder, 'CheckRabi_0_0.png'));
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('image/png');
    expect(answer.headers['content-length']).toBe(String(png.length));
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.bytes.equals(png)).toBe(true);
  });

  test('is not sent again to who has it, until it changes', async () => {
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
    await api.users.updateOne({ _id: person.id }, { $set: { disabled: true } });
    expectError(await figure(path, { authorization: `Bearer ${person.token}` }), 403, 'account_disabled');
  });
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
      expect(answer.headers['content-disposition']).toContain(`attachment; filename="${name}"`);
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
