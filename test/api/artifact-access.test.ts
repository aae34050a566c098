import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, expectError, type Person, startApi } from './harness.ts';

describe('where a token is required', () => {
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
    await writeFile(file, 'figure');
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

describe('without a token, where files are open', () => {
  let open: Api;
  let member: Person;
  let stranger: Person;
  let project: string;
  let execution: string;
  const zip = (person: Person | null, path: string) =>
    (person ? open.as(person) : open.call)('/files/zip', { query: { path } });

  beforeAll(async () => {
    open = await startApi();
    [member, stranger] = [await open.makePerson(), await open.makePerson()];
    project = await open.makeProject(member);
    execution = join(open.settings.CALIB_DATA_PATH, project, 'CHIP', '20260102', '000');
    await mkdir(join(execution, 'fig'), { recursive: true });
    await writeFile(join(execution, 'fig', 'a.png'), 'figure');
  });
  afterAll(() => open.close());

  test('an archive has a file, a folder of a task or an execution, and nothing larger', async () => {
    for (const path of [execution, join(execution, 'fig'), join(execution, 'fig', 'a.png')]) {
      expect((await zip(null, path)).status).toBe(200);
    }
    for (const path of [join(execution, '..'), join(execution, '..', '..'), join(execution, '../../..')]) {
      expectError(await zip(null, path), 401, 'not_authenticated');
      expectError(await zip(stranger, path), 404, 'not_found');
      expect((await zip(member, path)).status).toBe(200);
    }
  });

  test('a folder that only looks like an execution is refused as well', async () => {
    const folder = join(execution, '..', '..', '20260102x', '000');
    await mkdir(folder, { recursive: true });
    expectError(await zip(null, folder), 401, 'not_authenticated');
    expectError(await zip(null, `${execution}/..//../../CHIP/`), 401, 'not_authenticated');
  });
});
