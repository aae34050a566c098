import { mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  fileContent,
  treeEntry,
  validateAnswer,
  writeAnswer,
} from '../../shared/domain/configuration/model.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';

let api: Api;
let person: Person;
let config: string;

beforeAll(async () => {
  api = await startApi({ configuration: 'empty' });
  person = await api.makePerson();
  config = api.settings.CONFIG_PATH;
});
afterAll(() => api.close());

const put = (path: string, content: string) =>
  api.as(person)('/files/content', { method: 'PUT', body: { path, content } });
const get = (path: string) => api.call('/files/content', { query: { path } });
const tree = async () => read(z.array(treeEntry), await api.call('/files/tree'));
const validate = (content: string, file_type: string) =>
  api.as(person)('/files/validate', { method: 'POST', body: { content, file_type } });

describe('the tree of the configuration', () => {
  test('is empty at first', async () => {
    expect(await tree()).toEqual([]);
  });

  test('has directories first, then names in order, and nothing hidden', async () => {
    for (const path of ['b/params/t1.yaml', 'b/config/wiring.yaml', 'a.json', 'Z.yaml']) {
      await mkdir(join(config, path, '..'), { recursive: true });
      await writeFile(join(config, path), '{}');
    }
    for (const path of ['.git/config', '.env', '__pycache__/x.pyc', 'b/.hidden.yaml']) {
      await mkdir(join(config, path, '..'), { recursive: true });
      await writeFile(join(config, path), 'hidden');
    }
    await mkdir(join(config, 'empty'));
    const file = (path: string) => ({ name: path.split('/').at(-1), path, type: 'file', children: null });
    const directory = (path: string, children: unknown) => ({ ...file(path), type: 'directory', children });
    expect(await tree()).toEqual([
      directory('b', [
        directory('b/config', [file('b/config/wiring.yaml')]),
        directory('b/params', [file('b/params/t1.yaml')]),
      ]),
      directory('empty', null),
      file('Z.yaml'),
      file('a.json'),
    ]);
  });
});

describe('a configuration file', () => {
  test('is written whole, with its directories, and read back as it was written', async () => {
    const content = '\ufeff# Größe\r\nt1: 1.5\n';
    const path = 'project/CHIP-1/params/t1 star.yaml';
    expect(read(writeAnswer, await put(path, content))).toEqual({ message: 'The file was written.', path });
    const found = read(fileContent, await get(path));
    expect(found).toEqual({
      content,
      path,
      name: 't1 star.yaml',
      size: Buffer.byteLength(content),
      modified: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    await put(path, 'short: 1');
    expect(await readFile(join(config, path), 'utf8')).toBe('short: 1');
    expect(await readdir(join(config, 'project', 'CHIP-1', 'params'))).toEqual(['t1 star.yaml']);
  });

  test('stays whole when many write it at once', async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `value: ${String(index).repeat(5000)}\n`);
    const answers = await Promise.all(texts.map((text) => put('busy.yaml', text)));
    expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 200));
    expect(texts).toContain(await readFile(join(config, 'busy.yaml'), 'utf8'));
    expect((await readdir(config)).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  test('is not written when it is not valid, and the message says where', async () => {
    await put('kept.yaml', 'a: 1');
    const yaml = expectError(await put('kept.yaml', 'a: 1\nb: [1,\n'), 400, 'invalid_configuration');
    expect(yaml).toMatch(/kept\.yaml: .*line 3/);
    expectError(await put('kept.yaml', 'a: 1\na: 2\n'), 400, 'invalid_configuration');
    expectError(await put('new.json', '{"a": NaN}'), 400, 'invalid_configuration');
    const administrator = await api.makePerson({ system_role: 'admin' });
    const body = { path: 'backends.json', content: '{"backends": {}}' };
    const refused = await api.as(administrator)('/files/content', { method: 'PUT', body });
    expectError(refused, 400, 'invalid_configuration');
    expect(await readFile(join(config, 'kept.yaml'), 'utf8')).toBe('a: 1');
    expectError(await get('new.json'), 404, 'not_found');
  });

  test('is refused by its name', async () => {
    for (const path of [
      '',
      '/',
      'a.txt',
      'run.sh',
      'noending',
      '.env',
      '.git/hooks/x.yaml',
      'a/../b.yaml',
      'a//b.yaml',
    ]) {
      expectError(await put(path, 'a: 1'), 400, 'bad_request');
    }
    for (const path of ['b', 'kept.yaml/x.yaml', `${'x'.repeat(300)}.yaml`]) {
      expectError(await put(path.endsWith('.yaml') ? path : `${path}.yaml/`, 'a: 1'), 400, 'bad_request');
    }
    await mkdir(join(config, 'directory.yaml'));
    expectError(await put('directory.yaml', 'a: 1'), 400, 'bad_request');
  });

  test('has at most 1 MiB', async () => {
    const full = `# ${'x'.repeat(1024 * 1024 - 3)}\n`;
    expect((await put('full.yaml', full)).status).toBe(200);
    expect(read(fileContent, await get('full.yaml')).size).toBe(1024 * 1024);
    expectError(await put('full.yaml', `${full}#`), 413, 'too_large');
    await writeFile(join(config, 'larger.yaml'), `${full}#`);
    expectError(await get('larger.yaml'), 413, 'too_large');
    expectError(await validate(`${full}#`, 'yaml'), 413, 'too_large');
  });

  test('is read by anyone; missing, hidden, binary and what is not a file are told apart', async () => {
    await writeFile(join(config, 'binary.yaml'), Buffer.from([0xff, 0xfe, 0x00]));
    await writeFile(join(config, 'notes.txt'), 'text');
    expect(read(fileContent, await get('notes.txt')).content).toBe('text');
    expectError(await get('missing.yaml'), 404, 'not_found');
    expectError(await get('.env'), 400, 'bad_request');
    expectError(await get('../token-secret'), 400, 'bad_request');
    expectError(await get('b'), 400, 'bad_request');
    expectError(await get('binary.yaml'), 400, 'unreadable_file');
    expectProblems(await api.call('/files/content'), [['missing', 'query', 'path']]);
  });

  test('is written by those who are signed in', async () => {
    const body = { path: 'a.yaml', content: 'a: 1' };
    expectError(await api.call('/files/content', { method: 'PUT', body }), 401, 'not_authenticated');
    expectProblems(await api.as(person)('/files/content', { method: 'PUT', body: { path: 1 } }), [
      ['string_type', 'body', 'path'],
      ['missing', 'body', 'content'],
    ]);
  });
});

describe('validation', () => {
  test.each([
    ['a: 1\nb: [1, 2]\n', 'yaml', 'YAML'],
    ['a: 1\n---\nb: 2\n', 'YML', 'YAML'],
    ['', 'yaml', 'YAML'],
    ['{"a": [1, null]}', 'JSON', 'JSON'],
  ])('takes %j as %s', async (content, fileType, name) => {
    expect(read(validateAnswer, await validate(content, fileType))).toEqual({
      valid: true,
      message: `This is valid ${name}.`,
    });
  });

  test.each([
    ['a: [1', 'yaml', /line 1/],
    ['a: 1\nb:\n  c: 1\n  c: 2', 'yaml', /repeated at line 4/],
    ['a:\n\t- 1', 'yaml', /Tabs/],
    ['a: "b\0c"', 'yaml', /control character at line 1/],
    ['a: 1\n\u0007: 2', 'yaml', /control character at line 2/],
    ['{"a": NaN}', 'json', /N/],
    ['{\n"a": x,\n "b": 2}', 'json', /^Unexpected token 'x', "\{ "a": x, "b": 2\}" is not valid JSON$/],
    ['{\n "a": 1,\n}', 'json', /at line 3, column 1$/],
    ['', 'json', /end/],
  ])('refuses %j as %s and says why', async (content, fileType, reason) => {
    const answer = read(validateAnswer, await validate(content, fileType));
    expect(answer).toMatchObject({ valid: false, message: `This is not valid ${fileType.toUpperCase()}.` });
    expect(answer.error).toMatch(reason);
  });

  test('ends for texts that would need endless stack, time or memory, and the service lives on', async () => {
    for (const [text, reason] of [
      ['['.repeat(5000), /nested too deeply/],
      ['['.repeat(100_000), /nested too deeply/],
      ['- '.repeat(100_000), /nested too deeply/],
      ['{a: '.repeat(20_000), /nested too deeply/],
    ] as const) {
      const answer = read(validateAnswer, await validate(text, 'yaml'));
      expect(answer.valid).toBe(false);
      expect(answer.error).toMatch(reason);
    }
    const deep = `${'['.repeat(90)}${']'.repeat(90)}`;
    const wide = Array.from({ length: 30_000 }, (_, index) => `Q${index}: ${index}.25`).join('\n');
    for (const text of [deep, wide])
      expect(read(validateAnswer, await validate(text, 'yaml')).valid).toBe(true);
    expect(read(validateAnswer, await validate('['.repeat(5000), 'json')).valid).toBe(false);
  });

  test('knows no other kinds', async () => {
    for (const kind of ['toml', '', 'constructor'])
      expectError(await validate('a', kind), 400, 'bad_request');
    expectProblems(await api.call('/files/validate', { method: 'POST', body: {} }), [
      ['missing', 'body', 'content'],
      ['missing', 'body', 'file_type'],
    ]);
  });
});

describe('a ZIP archive', () => {
  const zip = (path: string) => api.call('/files/zip', { query: { path } });

  test('has what is shown below a directory of the configuration, named absolutely or relatively', async () => {
    for (const path of ['b', join(config, 'b'), 'b/']) {
      const answer = await zip(path);
      expect(answer.headers['content-disposition']).toMatch(/^attachment; filename=b_\d{8}_\d{6}\.zip$/);
      expect(Object.keys(unzipSync(answer.bytes))).toEqual(['config/wiring.yaml', 'params/t1.yaml']);
    }
    const whole = Object.keys(unzipSync((await zip(config)).bytes));
    expect(whole).toContain('a.json');
    expect(whole.filter((name) => name.startsWith('.') || name.includes('/.'))).toEqual([]);
    expect(Object.keys(unzipSync((await zip('a.json')).bytes))).toEqual(['a.json']);
  });

  test('has an execution of a project, but never the files of all projects', async () => {
    const execution = join(api.settings.CALIB_DATA_PATH, 'project', 'CHIP', '20260102', '000');
    for (const path of ['fig/a.png', 'raw_data/a.nc', 'raw_data/.a.partial']) {
      await mkdir(join(execution, path, '..'), { recursive: true });
      await writeFile(join(execution, path), path);
    }
    const files = unzipSync((await zip(execution)).bytes);
    expect(Object.keys(files)).toEqual(['fig/a.png', 'raw_data/a.nc']);
    expect(Buffer.from(files['raw_data/a.nc'] ?? []).toString()).toBe('raw_data/a.nc');
    expect(Object.keys(unzipSync((await zip(join(execution, 'fig', 'a.png'))).bytes))).toEqual(['a.png']);
    for (const path of [api.settings.CALIB_DATA_PATH, join(execution, '..', '001')]) {
      expectError(await zip(path), 404, 'not_found');
    }
  });

  test('is refused for what is missing, outside or hidden', async () => {
    expectError(await zip('missing'), 404, 'not_found');
    for (const path of ['/etc', '..', join(config, '..'), '.git', '.env']) {
      expectError(await zip(path), 400, 'bad_request');
    }
    expectProblems(await api.call('/files/zip'), [['missing', 'query', 'path']]);
  });

  test('is refused above 2 GiB before anything is sent', async () => {
    const directory = join(api.settings.CALIB_DATA_PATH, 'project', 'CHIP', '20260102', '009');
    await mkdir(directory, { recursive: true });
    for (const name of ['a.nc', 'b.nc']) await sparse(join(directory, name), 1.5 * 1024 ** 3);
    expectError(await zip(directory), 413, 'too_large');
  });
});

describe('what all projects share', () => {
  const shared = [
    'backends.json',
    'copilot.yaml',
    'maintenance.yaml',
    'metrics.yaml',
    'Metrics.yaml',
    'task-knowledge/x/index.yaml',
    'topologies/t.yaml',
  ];

  test.each(shared)('%s is changed by administrators only', async (path) => {
    const body = { path, content: '{}' };
    expectError(await api.as(person)('/files/content', { method: 'PUT', body }), 403, 'admin_required');
    const remove = { method: 'DELETE', query: { path } } as const;
    expectError(await api.as(person)('/files/content', remove), 403, 'admin_required');
    const administrator = await api.makePerson({ system_role: 'admin' });
    expect((await api.as(administrator)('/files/content', { method: 'PUT', body })).status).not.toBe(403);
  });

  test('a whole shared folder is removed by administrators only', async () => {
    const remove = { method: 'DELETE', query: { path: 'topologies' } } as const;
    expectError(await api.as(person)('/files/content', remove), 403, 'admin_required');
  });
});

test("a project's folder of the configuration is changed by its editors only", async () => {
  const [owner, viewer] = [await api.makePerson(), await api.makePerson()];
  const project = await api.makeProject(owner);
  await api.addMember(project, viewer, 'viewer');
  const body = { path: `${project}/CHIP/params/t1.yaml`, content: 'data: {}' };
  expect((await api.as(owner)('/files/content', { method: 'PUT', body })).status).toBe(200);
  for (const other of [viewer, person]) {
    expect((await api.as(other)('/files/content', { method: 'PUT', body })).status).toBe(403);
    const remove = { method: 'DELETE', query: { path: project } } as const;
    expect((await api.as(other)('/files/content', remove)).status).toBe(403);
  }
});

test('the folder of a project is shown to its members only, and no project is named without a token', async () => {
  const [owner, viewer] = [await api.makePerson(), await api.makePerson()];
  const project = await api.makeProject(owner);
  await api.addMember(project, viewer, 'viewer');
  const path = `${project}/CHIP/params/t1.yaml`;
  const body = { path, content: 'data: {}' };
  expect((await api.as(owner)('/files/content', { method: 'PUT', body })).status).toBe(200);
  await writeFile(join(config, 'backends.json'), JSON.stringify({ own: { projects: [project] } }));
  const listed = async (call: Api['call']) => [
    (await call('/files/tree')).text.includes(project),
    Object.keys(unzipSync((await call('/files/zip', { query: { path: config } })).bytes)).includes(path),
  ];
  for (const member of [owner, viewer]) {
    const call = api.as(member);
    expect(await listed(call)).toEqual([true, true]);
    expect((await call('/files/content', { query: { path } })).status).toBe(200);
    expect((await call('/files/zip', { query: { path: project } })).status).toBe(200);
  }
  const administrator = await api.makePerson({ system_role: 'admin' });
  for (const other of [person, administrator]) {
    const call = api.as(other);
    expect(await listed(call)).toEqual([false, false]);
    expectError(await call('/files/content', { query: { path } }), 404, 'not_found');
    expect((await call('/files/content', { query: { path: 'backends.json' } })).status).toBe(200);
    expectError(await call('/files/zip', { query: { path: project } }), 404, 'not_found');
  }
  expect(await listed(api.call)).toEqual([false, false]);
  for (const url of ['/files/content', '/files/zip']) {
    for (const each of [path, 'backends.json']) {
      expectError(await api.call(url, { query: { path: each } }), 401, 'not_authenticated');
    }
  }
  const whole = await api.call('/files/zip', { query: { path: config } });
  expect(whole.bytes.includes(project)).toBe(false);
  expect(Object.keys(unzipSync(whole.bytes))).toContain('a.json');
  const written = { ...body, path: path.toUpperCase().replace('T1.YAML', 't1.yaml') };
  expect((await api.as(person)('/files/content', { method: 'PUT', body: written })).status).toBe(403);
  await rm(join(config, 'backends.json'));
});

test('a file of a chip outside the folder of a project is refused, and can be removed', async () => {
  const put = (path: string) =>
    api.as(person)('/files/content', { method: 'PUT', body: { path, content: 'data: {}' } });
  for (const path of ['CHIP/params/t1.yaml', 'CHIP/config/wiring.yaml', 'CHIP/PARAMS/t1.yaml']) {
    expect(expectError(await put(path), 400, 'bad_request')).toContain('<project id>/<chip id>');
  }
  await mkdir(join(config, 'OLD/params'), { recursive: true });
  const remove = { method: 'DELETE', query: { path: 'OLD' } } as const;
  expect((await api.as(person)('/files/content', remove)).status).toBe(200);
});

test('with config_write=admin, only administrators change the configuration', async () => {
  const strict = await startApi({ configuration: 'empty', environment: { CONFIG_WRITE: 'admin' } });
  const [user, administrator] = [
    await strict.makePerson(),
    await strict.makePerson({ system_role: 'admin' }),
  ];
  const call = { method: 'PUT', body: { path: 'a.yaml', content: 'a: 1' } } as const;
  expectError(await strict.as(user)('/files/content', call), 403, 'admin_required');
  for (const url of ['/files/git/pull', '/files/git/push']) {
    expectError(await strict.as(user)(url, { method: 'POST' }), 403, 'admin_required');
    expectError(await strict.as(administrator)(url, { method: 'POST' }), 409, 'conflict');
  }
  expect((await strict.as(administrator)('/files/content', call)).status).toBe(200);
  expect((await strict.call('/files/content', { query: { path: 'a.yaml' } })).status).toBe(200);
  await strict.close();
});

/** A file that is as long as this and takes no room. */
async function sparse(path: string, length: number): Promise<void> {
  const file = await open(path, 'w');
  await file.truncate(length);
  await file.close();
}
