import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { zipOf } from '../../shared/kernel/files/archive.ts';
import { type Answer, type Api, expectError, expectProblems, type Person, startApi } from './harness.ts';

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
  await writeFile(join(folder, 'CheckRabi_0_0.json'), '{}');
});
afterAll(() => api.close());

function unzipped(answer: Answer): Record<string, Buffer> {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
  const files = Object.entries(unzipSync(answer.bytes));
  return Object.fromEntries(files.map(([name, content]) => [name, Buffer.from(content)]));
}

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

  test('goes on without a file that is deleted while it is made', async () => {
    const paths = ['first.json', 'second.json', 'third.json'].map((name) => join(folder, name));
    for (const path of paths) await writeFile(path, '{}');
    const { entries } = await api.areas.artifacts.bundle(paths.map((path) => ({ path, project: 'project' })));
    await rm(join(folder, 'second.json'));
    const files = unzipSync(await buffer(zipOf(entries)));
    expect(Object.keys(files)).toEqual(['first.json', 'third.json']);
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
    for (const body of [undefined, {}, { paths: [] }, { paths: null, filename: null }])
      expectError(await download(body), 400, 'bad_request');
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
