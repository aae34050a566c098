import { execFileSync } from 'node:child_process';
import { access, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type TreeEntry, treeEntry, validateAnswer } from '../../shared/domain/configuration/model.ts';
import { type Api, expectError, type Person, read, startApi } from './harness.ts';

let api: Api;
let person: Person;
let config: string;

beforeAll(async () => {
  api = await startApi({
    configuration: 'empty',
    environment: { CONFIGURATION_FILES: '4', CONFIGURATION_MIB: '2' },
  });
  person = await api.makePerson();
  config = api.settings.CONFIG_PATH;
  await mkdir(config, { recursive: true });
});
afterAll(() => api.close());

const put = (path: string, content = 'a: 1') =>
  api.as(person)('/files/content', { method: 'PUT', body: { path, content } });
const remove = (path: string) => api.as(person)('/files/content', { method: 'DELETE', query: { path } });
const validate = (content: string, from: string) =>
  api.call('/files/validate', { method: 'POST', body: { content, file_type: 'yaml' }, from });
const tree = async () => read(z.array(treeEntry), await api.call('/files/tree'));

describe('what is written', () => {
  test('has a path of at most 16 parts and 400 characters', async () => {
    for (const path of [`${'a/'.repeat(16)}a.yaml`, `${'a'.repeat(400)}.yaml`]) {
      expect(expectError(await put(path), 400, 'bad_request')).toBe(
        'The path of a file has at most 16 parts and 400 characters.',
      );
    }
    const longest = `${'a/'.repeat(15)}a.yaml`;
    expect((await put(longest)).status).toBe(200);
    expect((await remove('a')).status).toBe(200);
    expect(await tree()).toEqual([]);
  });

  test('leaves the configuration as large as the settings say; what is there may change and shrink', async () => {
    for (const name of ['1.yaml', '2.yaml', '3.yaml', '4.yaml']) expect((await put(name)).status).toBe(200);
    expect(expectError(await put('5.yaml'), 409, 'quota_exceeded')).toBe(
      'The configuration has 4 files; the limit is 4. Delete what is not needed, or ask an operator to raise CONFIGURATION_FILES.',
    );
    const large = `# ${'x'.repeat(1024 * 1024 - 10)}\n`;
    for (const name of ['1.yaml', '2.yaml', '3.yaml']) expect((await put(name, large)).status).toBe(200);
    expect(expectError(await put('4.yaml', large), 409, 'quota_exceeded')).toContain('CONFIGURATION_MIB');
    expect((await put('1.yaml', 'a: 1')).status).toBe(200);
    for (const { path } of await tree()) await remove(path);
  });
});

describe('a removal', () => {
  test('takes a file, a directory or a link, and nothing behind the link', async () => {
    await put('kept.yaml');
    await symlink('kept.yaml', join(config, 'link.yaml'));
    await mkdir(join(config, 'full', 'of'), { recursive: true });
    await writeFile(join(config, 'full', 'of', 'files.yaml'), 'a: 1');
    for (const path of ['link.yaml', 'full']) expect((await remove(path)).status).toBe(200);
    expect((await tree()).map(({ path }) => path)).toEqual(['kept.yaml']);
    expectError(await remove('full'), 404, 'not_found');
    for (const path of ['', '.', '..', '../token-secret', '.git', '/etc/hosts', 'a//b']) {
      expectError(await remove(path), 400, 'bad_request');
    }
    await access(join(config, 'kept.yaml'));
  });
});

test('a tree 1,500 deep that is there already is listed as far as anybody reads, and can be removed', async () => {
  execFileSync('sh', ['-c', 'for i in $(seq 1500); do mkdir d && cd d; done; echo a: 1 > a.yaml'], {
    cwd: config,
  });
  const depth = ({ children }: TreeEntry): number => 1 + Math.max(0, ...(children ?? []).map(depth));
  const [deep] = (await tree()).filter(({ name }) => name === 'd');
  expect(deep && depth(deep)).toBe(32);
  expect((await remove('d')).status).toBe(200);
  expect((await tree()).map(({ name }) => name)).not.toContain('d');
});

describe('what visitors have checked', () => {
  /** A second of a thread. */
  const slow = '&a '.repeat(20_000);
  /** Two of each address, and five times as many as have threads at the same time. */
  const VISITORS = 10;

  test('is bounded for each address, and never keeps users waiting', async () => {
    let done = 0;
    const visits = Array.from({ length: VISITORS }, (_, visitor) =>
      validate(slow, `10.5.${visitor >> 1}.1`).finally(() => {
        done += 1;
      }),
    );
    expect((await put('while-visitors-wait.yaml')).status).toBe(200);
    expect(done).toBeLessThan(VISITORS);
    for (const answer of await Promise.all(visits)) expect([200, 429]).toContain(answer.status);
    const crowd = await Promise.all(Array.from({ length: 5 }, () => validate(slow, '10.5.99.1')));
    // One is checked and two wait.
    expect(crowd.filter(({ status }) => status === 429)).toHaveLength(2);
  });

  test.each([
    ['closing brackets', ']'],
    ['closing braces', '{}}'],
    ['opening brackets', '['],
    ['quotation marks', '" '],
    ['anchors', '&a '],
  ])('30 KB of %s are found wrong by their first mistake, not by all of them', async (_, piece) => {
    const content = piece.repeat(30_000 / piece.length);
    const answer = read(validateAnswer, await validate(content, '10.5.100.1'));
    expect(answer.valid).toBe(false);
    expect(answer.error).not.toContain('too much time');
  });
});
