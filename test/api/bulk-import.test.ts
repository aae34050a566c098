import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { importAnswer } from '../../shared/domain/administration/model.ts';
import { userNamed } from '../support/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';

let api: Api;
let administrator: Person;

beforeAll(async () => {
  api = await startApi();
  administrator = await api.makePerson({ system_role: 'admin' });
});
afterAll(() => api.close());

const boundary = 'calibron-test-boundary';

/** Sends a form with one file. */
function send(csv: string | Buffer, part = 'name="file"; filename="users.csv"', person = administrator) {
  const form = Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${part}\r\nContent-Type: text/csv\r\n\r\n`),
    Buffer.from(csv),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return api.as(person)('/admin/users/bulk-import', {
    method: 'POST',
    bytes: form,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  });
}

const userCount = () => api.users.countDocuments({});

describe('a good file', () => {
  test('makes an account with a temporary password for each row', async () => {
    const csv =
      '\ufeffusername, system_role ,display_name\r\n imp-one ,,"Doe, ""Jane"""\r\n\r\nimp-two,ADMIN,x,surplus\r\nimp-three\r\n';
    const answer = read(importAnswer, await send(csv));
    expect(answer).toMatchObject({ created: 3, skipped: 0, failed: 0, total: 3 });
    expect(answer.results).toEqual([
      {
        row_number: 2,
        username: 'imp-one',
        display_name: 'Doe, "Jane"',
        organization: null,
        system_role: 'user',
        initial_password: expect.stringMatching(/^[\w-]{18}$/),
        status: 'created',
        message: null,
      },
      expect.objectContaining({ row_number: 4, username: 'imp-two', system_role: 'admin' }),
      expect.objectContaining({ row_number: 5, username: 'imp-three', display_name: null }),
    ]);
    const stored = await api.users.findOne({ username: 'imp-one' });
    expect(stored).toMatchObject({ must_change_password: true, default_project_id: null, disabled: false });
    expect(await api.signIn('imp-one', answer.results[0]?.initial_password ?? '')).toEqual(
      expect.any(String),
    );
  });

  test('reports bad rows one by one and makes the others', async () => {
    const csv = [
      'username,display_name,organization,system_role',
      'row-good,,,',
      ',No Name,,',
      'Upper,,,',
      'row-role,,,root',
      `row-long,,${'x'.repeat(101)},`,
      'row-good,Again,,',
      `${administrator.username},,,user`,
      'row-role,,,user',
    ].join('\n');
    const { results, ...counts } = read(importAnswer, await send(csv));
    expect(counts).toEqual({ created: 2, skipped: 2, failed: 4, total: 8 });
    expect(results.map((row) => [row.row_number, row.status, row.system_role])).toEqual([
      [2, 'created', 'user'],
      [3, 'failed', 'user'],
      [4, 'failed', 'user'],
      [5, 'failed', 'user'],
      [6, 'failed', 'user'],
      [7, 'skipped', 'user'],
      [8, 'skipped', 'admin'],
      [9, 'created', 'user'],
    ]);
    for (const row of results) {
      expect(row.message === null).toBe(row.status === 'created');
      expect(row.initial_password === null).toBe(row.status !== 'created');
    }
    expect((await api.users.findOne({ _id: userNamed(administrator.id) }))?.system_role).toBe('admin');
  });

  test('is harmless to import again', async () => {
    const csv = 'username,display_name\nrepeat-a,First\nrepeat-b,\n';
    const first = read(importAnswer, await send(csv));
    const before = await api.users.findOne({ username: 'repeat-a' });
    const again = read(importAnswer, await send(csv.replace('First', 'Second')));
    expect(first).toMatchObject({ created: 2, skipped: 0 });
    expect(again).toMatchObject({ created: 0, skipped: 2, failed: 0, total: 2 });
    expect(await api.users.findOne({ username: 'repeat-a' })).toEqual(before);
  });

  test('imported twice at the same moment makes each account once', async () => {
    const csv = `username\n${Array.from({ length: 6 }, (_, index) => `moment-${index}`).join('\n')}`;
    const [one, two] = await Promise.all([send(csv), send(csv)]);
    const created = read(importAnswer, one).created + read(importAnswer, two).created;
    expect(created).toBe(6);
    expect(await api.users.countDocuments({ username: /^moment-/ })).toBe(6);
  });

  test('may have no rows', async () => {
    expect(read(importAnswer, await send('username\n'))).toEqual({
      results: [],
      created: 0,
      skipped: 0,
      failed: 0,
      total: 0,
    });
  });
});

describe('a file that cannot be read as a whole', () => {
  test('is 400 with what to mend', async () => {
    const before = await userCount();
    const message = async (csv: string | Buffer) => expectError(await send(csv), 400, 'invalid_csv');
    expect(await message('')).toContain('username');
    expect(await message('display_name\nx\n')).toContain('username');
    expect(await message('username;display_name\nabc;x\n')).toContain('username');
    expect(await message('username,zone,area\nabc,,\n')).toContain('area, zone');
    expect(await message(`username,${'x,'.repeat(500_000)}`)).toContain('longer than 10000 bytes');
    const many = Array.from({ length: 900 }, (_, index) => `c${index}`).join(',');
    expect(await message(`username,${many}\n`)).toContain('c0, c1, c10, c100, c101, ….');
    expect(await message('username,username\nabc,abd\n')).toContain('twice');
    expect(await message('username\nabc\n"abd\n')).toContain('line 3');
    expect(await message(Buffer.from([0x75, 0xff, 0xfe]))).toContain('UTF-8');
    expect(await userCount()).toBe(before);
  });

  test('is 413 with more than 500 rows or 2 MiB, before anything is created', async () => {
    const before = await userCount();
    const rows = Array.from({ length: 501 }, (_, index) => `many-${index}`).join('\n');
    expectError(await send(`username\n${rows}\n`), 413, 'too_large');
    const large = `username,display_name\nlarge-one,${'x'.repeat(2 * 1024 * 1024)}\n`;
    expectError(await send(large), 413, 'too_large');
    expect(await userCount()).toBe(before);
  });
});

describe('a request', () => {
  test('without the file is 422', async () => {
    expectProblems(await send('username\nabc\n', 'name="other"; filename="a.csv"'), [
      ['missing', 'body', 'file'],
    ]);
    expectProblems(await send('username\nabc\n', 'name="file"'), [['missing', 'body', 'file']]);
  });

  test('of another content type is 415', async () => {
    const json = await api.as(administrator)('/admin/users/bulk-import', { method: 'POST', body: {} });
    expectError(json, 415, 'unsupported_media_type');
    const none = await api.as(administrator)('/admin/users/bulk-import', { method: 'POST' });
    expectError(none, 415, 'unsupported_media_type');
  });

  test('that is not a whole form is 400', async () => {
    const answer = await api.as(administrator)('/admin/users/bulk-import', {
      method: 'POST',
      text: `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nusername`,
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    });
    expectError(answer, 400, 'bad_request');
  });

  test('is for administrators, whatever the file', async () => {
    const person = await api.makePerson();
    expectError(await send('nonsense', undefined, person), 403, 'admin_required');
  });
});

test('an import delays no other user', async () => {
  const rows = Array.from({ length: 12 }, (_, index) => `busy-${index}`).join('\n');
  const order: string[] = [];
  const importing = send(`username\n${rows}\n`).then(() => order.push('import'));
  const asking = api
    .as(administrator)('/auth/me')
    .then(() => order.push('me'));
  await Promise.all([importing, asking]);
  expect(order).toEqual(['me', 'import']);
});

test('the description of the API shows the form', async () => {
  const { body } = await api.call('/openapi.json');
  const operation = z.object({
    requestBody: z.object({ content: z.record(z.string(), z.object({ schema: z.unknown() })) }),
  });
  const { paths } = z
    .object({ paths: z.object({ '/admin/users/bulk-import': z.object({ post: operation }) }) })
    .parse(body);
  const { schemas } = z
    .object({ components: z.object({ schemas: z.object({ AdminBulkImportUsersBody: z.unknown() }) }) })
    .parse(body).components;
  expect(schemas.AdminBulkImportUsersBody).toMatchObject({
    properties: { file: { type: 'string', format: 'binary' } },
  });
  expect(paths['/admin/users/bulk-import'].post.requestBody.content).toEqual({
    'multipart/form-data': {
      schema: { $ref: '#/components/schemas/AdminBulkImportUsersBody' },
    },
  });
});
