import { mkdir, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'content-disposition';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Answer,
  type Api,
  type Call,
  expectError,
  expectProblems,
  type Person,
  startApi,
} from './harness.ts';

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

function unzipped(answer: Answer): Record<string, Buffer> {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
  const files = Object.entries(unzipSync(answer.bytes));
  return Object.fromEntries(files.map(([name, content]) => [name, Buffer.from(content)]));
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

describe('an archive of artifacts', () => {
  const archive = (paths: string[]) => api.call('/executions/artifacts/archive', { query: { paths } });

  test('has each file under its own name', async () => {
    const other = join(root, 'project', 'CHIP', '20260102', '001', 'fig');
    await mkdir(other, { recursive: true });
    await writeFile(join(other, 'CheckRabi_0_0.json'), 'second');
    const json = join(folder, 'CheckRabi_0_0.json');
    const answer = await archive([
      json,
      join(other, 'CheckRabi_0_0.json'),
      json,
      join(folder, 'CheckRabi_0_0.png'),
    ]);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/zip');
    expect(answer.headers['content-disposition']).toBe('attachment; filename=artifacts.zip');
    const files = unzipped(answer);
    expect(Object.keys(files)).toEqual([
      'CheckRabi_0_0.json',
      'CheckRabi_0_0_2.json',
      'CheckRabi_0_0_3.json',
      'CheckRabi_0_0.png',
    ]);
    expect(files['CheckRabi_0_0_2.json']?.toString()).toBe('second');
    expect(files['CheckRabi_0_0.png']?.equals(png)).toBe(true);
  });

  test('takes 1 to 100 files', async () => {
    const path = join(folder, 'CheckRabi_0_0.json');
    expect(Object.keys(unzipped(await archive(Array.from({ length: 100 }, () => path))))).toHaveLength(100);
    expectProblems(await archive(Array.from({ length: 101 }, () => path)), [['too_long', 'query', 'paths']]);
    expectProblems(await api.call('/executions/artifacts/archive'), [['missing', 'query', 'paths']]);
    expect((await api.call('/executions/artifacts/archive', { query: { paths: path } })).status).toBe(200);
  });

  test('is 404 when one file is missing', async () => {
    const paths = [join(folder, 'CheckRabi_0_0.json'), join(folder, 'missing.json')];
    expectError(await archive(paths), 404, 'not_found');
  });
});

describe('figures of a project', () => {
  let member: Person;
  let project: string;
  let figures: string;

  beforeAll(async () => {
    member = await api.makePerson();
    project = await api.makeProject(member);
    figures = join(root, project, 'CHIP', '20260102', '000', 'fig');
    await mkdir(figures, { recursive: true });
    await writeFile(join(figures, 'a.png'), png);
    await writeFile(join(figures, 'b.png'), png);
  });
  const download = (body: unknown) =>
    api.as(member, project)('/task-results/figures/download', { method: 'POST', body });

  test('come in one archive, under a name in plain letters', async () => {
    const paths = [join(figures, 'a.png'), join(figures, 'b.png')];
    const answer = await download({ paths });
    expect(answer.headers['content-disposition']).toBe('attachment; filename=figures.zip');
    expect(Object.keys(unzipped(answer))).toEqual(['a.png', 'b.png']);
    for (const [filename, name] of [
      ['my figures.zip', 'myfigures.zip'],
      ['../../etc/passwd', 'etcpasswd.zip'],
      ['Größe "x"\r\nSet-Cookie: a=b', 'Grexset-cookieab.zip'],
      ['', 'figures.zip'],
    ] as const) {
      const header = String((await download({ paths, filename })).headers['content-disposition']);
      expect(header.toLowerCase()).toBe(`attachment; filename=${name}`.toLowerCase());
    }
  });

  test('are 400 when none are named, or one is missing or of another project', async () => {
    for (const body of [undefined, {}, { paths: [] }]) expectError(await download(body), 400, 'bad_request');
    const detail = expectError(
      await download({ paths: [join(figures, 'a.png'), join(figures, 'gone.png')] }),
      400,
      'bad_request',
    );
    expect(detail).toContain('gone.png');
    expect(detail).not.toContain(root);
    expectError(await download({ paths: [join(folder, 'CheckRabi_0_0.png')] }), 400, 'bad_request');
    expectProblems(await download({ paths: 'a.png' }), [['list_type', 'body', 'paths']]);
    const many = Array.from({ length: 1001 }, () => join(figures, 'a.png'));
    expectProblems(await download({ paths: many }), [['too_long', 'body', 'paths']]);
  });

  test('are for members of the project', async () => {
    const call = { method: 'POST', body: { paths: [join(figures, 'a.png')] } } as const;
    const [viewer, stranger] = [await api.makePerson(), await api.makePerson()];
    await api.addMember(project, viewer, 'viewer');
    const url = '/task-results/figures/download';
    expect((await api.as(viewer, project)(url, call)).status).toBe(200);
    expectError(await api.as(stranger, project)(url, call), 403, 'forbidden');
    expectError(await api.call(url, call), 401, 'not_authenticated');
  });
});

describe('where a token is asked for', () => {
  let closed: Api;
  let member: Person;
  let stranger: Person;
  let file: string;
  const urls = ['/executions/figure', '/executions/artifact', '/files/raw-data', '/files/zip'];

  beforeAll(async () => {
    closed = await startApi({ environment: { ARTIFACT_ACCESS: 'token' } });
    [member, stranger] = [await closed.makePerson(), await closed.makePerson()];
    await closed.makeProject(stranger);
    const project = await closed.makeProject(member);
    const directory = join(closed.settings.CALIB_DATA_PATH, project);
    await mkdir(directory, { recursive: true });
    file = join(directory, 'a.png');
    await writeFile(file, png);
  });
  afterAll(() => closed.close());

  test('files are for members of the project that their path names', async () => {
    for (const url of urls) {
      expectError(await closed.call(url, { query: { path: file } }), 401, 'not_authenticated');
      expect((await closed.as(member)(url, { query: { path: file } })).status).toBe(200);
      expectError(await closed.as(stranger)(url, { query: { path: file } }), 404, 'not_found');
    }
    const archive = '/executions/artifacts/archive';
    expect((await closed.as(member)(archive, { query: { paths: [file] } })).status).toBe(200);
    expectError(await closed.as(stranger)(archive, { query: { paths: [file] } }), 404, 'not_found');
    expectError(await closed.call(archive, { query: { paths: [file] } }), 401, 'not_authenticated');
    const preview = { query: { path: file.replace('.png', '.nc') } };
    expectError(await closed.call('/executions/artifact/preview', preview), 401, 'not_authenticated');
    expectError(await closed.as(stranger)('/executions/artifact/preview', preview), 404, 'not_found');
  });

  test('a browser shows figures with the cookie of its client', async () => {
    const cookie = `theme=dark; access_token=${member.token}; x=y`;
    const call = (value: string) =>
      closed.call('/executions/figure', { query: { path: file }, headers: { cookie: value } });
    expect((await call(cookie)).status).toBe(200);
    expectError(await call(`access_token=${stranger.token}`), 404, 'not_found');
    expectError(await call('access_token=nonsense'), 401, 'not_authenticated');
    expectError(await call(`not_access_token=${member.token}`), 401, 'not_authenticated');
    const headers = { cookie, authorization: `Bearer ${stranger.token}` };
    expectError(
      await closed.call('/executions/figure', { query: { path: file }, headers }),
      404,
      'not_found',
    );
    expectError(await closed.call('/auth/me', { headers: { cookie } }), 401, 'not_authenticated');
  });

  test('the configuration is for everyone who is signed in', async () => {
    for (const url of ['/files/tree', '/files/content?path=a.yaml', '/files/git/status']) {
      expectError(await closed.call(url), 401, 'not_authenticated');
      expect((await closed.as(stranger)(url)).status).not.toBe(401);
    }
    const body = { content: 'a: 1', file_type: 'yaml' };
    expectError(await closed.call('/files/validate', { method: 'POST', body }), 401, 'not_authenticated');
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
