import { readFile, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase } from '../../shared/kernel/database.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { buildCheckedServer } from '../support/documented-answers.ts';
import { type Api, expectError, expectProblems, type Person, startApi } from './harness.ts';

let api: Api;
let person: Person;
let project: string;

beforeAll(async () => {
  api = await startApi();
  person = await api.makePerson();
  project = await api.makeProject(person);
});
afterAll(() => api.close());

const post = (text: string, type = 'application/json') =>
  api.as(person)('/projects', { method: 'POST', text, headers: { 'content-type': type } });

describe('every answer', () => {
  test('carries the request id that was given, when it is short and plain', async () => {
    const id = 'run-7/step_2.a:b=c+d@e';
    const answer = await api.call('/healthz', { headers: { 'x-request-id': id } });
    expect(answer.headers['x-request-id']).toBe(id);
  });

  test('carries a new request id otherwise', async () => {
    for (const given of ['a b', 'x'.repeat(129), '<script>', '']) {
      const answer = await api.call('/healthz', { headers: { 'x-request-id': given } });
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
    expect((await api.call('/%zz')).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('is JSON for unknown addresses, and 404', async () => {
    for (const url of [
      '/nothing',
      '/chips/a/b/c/d',
      '/%zz',
      `/projects/${'x'.repeat(1001)}`,
      '/projects/a/b',
    ]) {
      expectError(await api.call(url), 404, 'not_found');
    }
  });

  test('is 405 with the allowed methods where only the method is wrong', async () => {
    const one = await api.call('/projects', { method: 'DELETE' });
    expectError(one, 405, 'method_not_allowed');
    expect(one.headers.allow).toBe('GET, HEAD, POST');
    const two = await api.call('/executions/abc/cancel', { method: 'GET' });
    expectError(two, 405, 'method_not_allowed');
    expect(two.headers.allow).toBe('POST');
    const login = await api.call('/auth/login', { method: 'PUT' });
    expectError(login, 405, 'method_not_allowed');
  });

  test('has that shape even where the HTTP parser gives up', async () => {
    const port = Number(new URL(await api.server.listen({ host: '127.0.0.1', port: 0 })).port);
    const send = async (text: string) => {
      const socket = connect({ host: '127.0.0.1', port });
      socket.end(text);
      const [head = '', body = ''] = (await textOf(socket)).split('\r\n\r\n');
      expect(head).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/);
      return [head.split('\r\n', 1)[0], JSON.parse(body)];
    };
    expect(await send('nonsense\r\n\r\n')).toEqual([
      'HTTP/1.1 400 Bad Request',
      { detail: expect.any(String), code: 'bad_request' },
    ]);
    expect(await send('GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n')).toEqual([
      'HTTP/1.1 400 Bad Request',
      { detail: expect.stringContaining('Host'), code: 'bad_request' },
    ]);
    expect(await send('GET /healthz HTTP/1.0\r\n\r\n')).toEqual(['HTTP/1.1 200 OK', { status: 'ok' }]);
    expect(await send(`GET / HTTP/1.1\r\nhost: a\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`)).toEqual([
      'HTTP/1.1 431 Request Header Fields Too Large',
      { detail: expect.any(String), code: 'headers_too_large' },
    ]);
  });

  test('does not depend on a slash at the end', async () => {
    expect((await api.as(person)('/projects/')).status).toBe(200);
  });
});

test.each([
  ['limit=257', 'Input should be less than or equal to 256'],
  ['limit=0', 'Input should be greater than or equal to 1'],
])('a number out of bounds is refused with the bounds in the message: %s', async (query, message) => {
  const answer = await api.as(person, project)(`/chips/CHIP/qubits?${query}`);
  expect(answer.body).toMatchObject({ detail: [{ msg: message }] });
});

describe('a body', () => {
  test('that is not JSON is 422 and is not repeated', async () => {
    for (const text of ['{"name": "secret-word', 'secret-word', '{"name": secret-word}', '{"a":1}}']) {
      const answer = await post(text);
      expectProblems(answer, [['json_invalid', 'body', expect.any(Number)]]);
      expect(answer.text).not.toContain('secret-word');
    }
  });

  test('of another content type or over 10 MiB is refused by every route that takes one', async () => {
    const large = JSON.stringify({ name: 'x'.repeat(10 * 1024 * 1024) });
    for (const url of ['/chips', '/flows', '/flows/any/execute']) {
      const send = (text: string, type: string) =>
        api.as(person, project)(url, { method: 'POST', text, headers: { 'content-type': type } });
      expectError(await send('{}', 'text/plain'), 415, 'unsupported_media_type');
      expectError(await send(large, 'application/json'), 413, 'too_large');
    }
  });

  test('of another content type is 415', async () => {
    const text = await post('{"name":"a"}', 'text/plain');
    expectError(text, 415, 'unsupported_media_type');
    expect(text.text).toContain('Send application/json.');
    expectError(await post('name=a', 'application/x-www-form-urlencoded'), 415, 'unsupported_media_type');
    const without = await api.as(person)('/projects', { method: 'POST', text: '{"name":"a"}' });
    expectError(without, 415, 'unsupported_media_type');
  });

  test('may name a charset', async () => {
    expect((await post('{"name":"with charset"}', 'application/json; charset=utf-8')).status).toBe(201);
  });

  test('over 10 MiB is 413', async () => {
    expectError(await post(JSON.stringify({ name: 'x'.repeat(10 * 1024 * 1024) })), 413, 'too_large');
  });

  test('that is empty counts as an empty object', async () => {
    expectProblems(await post(''), [['missing', 'body', 'name']]);
    expectProblems(await post('  '), [['missing', 'body', 'name']]);
    expectProblems(await api.as(person)('/projects', { method: 'POST' }), [['missing', 'body', 'name']]);
    expectProblems(await post('{}'), [['missing', 'body', 'name']]);
  });

  test('that is empty may have the type of a form, and else the type is refused', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      expectProblems(await post('', type), [['missing', 'body', 'name']]);
      const logout = await api.call('/auth/logout', {
        method: 'POST',
        text: '',
        headers: { 'content-type': type },
      });
      expect(logout.status).toBe(200);
      expectError(await post('a=b', type), 415, 'unsupported_media_type');
    }
    expectProblems(
      await api.call('/auth/login', {
        method: 'POST',
        text: '',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
      [
        ['missing', 'body', 'username'],
        ['missing', 'body', 'password'],
      ],
    );
    const csv = await api.as(person)('/admin/users/bulk-import', {
      method: 'POST',
      text: '',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    });
    expectError(csv, 403, 'admin_required');
  });

  test('of another kind than an object is refused as a whole', async () => {
    expectProblems(await post('[]'), [['model_attributes_type', 'body']]);
    expectProblems(await post('"text"'), [['model_attributes_type', 'body']]);
    expectProblems(await post('7'), [['model_attributes_type', 'body']]);
  });

  test('cannot bring in infinity or bottomless nesting', async () => {
    expectProblems(await post('{"name":"a","extra":[1,{"x":1e999}]}'), [
      ['finite_number', 'body', 'extra', 1, 'x'],
    ]);
    const deep = `{"name":"a","extra":${'['.repeat(5000)}${']'.repeat(5000)}}`;
    expectProblems(await post(deep), [['json_invalid', 'body']]);
  });

  test('cannot have control characters in a key, however deep and whatever its value', async () => {
    const key = 'a\\u0000b';
    const at = (text: string, ...loc: unknown[]) => ({ text, loc });
    for (const { text, loc } of [
      at(`{"${key}":"text"}`),
      at(`{"${key}":true}`),
      at(`{"${key}":null}`),
      at(`{"extra":[1,{"x":{"${key}":{}}}]}`, 'extra', 1, 'x'),
    ]) {
      expectProblems(await post(text), [['value_error', 'body', ...loc]]);
    }
  });

  test('may hold 200,000 values, and the ten million that fit into its bytes cost nothing', async () => {
    expect((await post(`{"name":"many","extra":[${'0,'.repeat(100_000)}0]}`)).status).toBe(201);
    expectProblems(await post(`{"name":"a","extra":[${'0,'.repeat(5_000_000)}0]}`), [
      ['json_invalid', 'body'],
    ]);
  });

  test('is 400 when it is not UTF-8 or holds half a character', async () => {
    expectError(await post('{"name":"\\ud800"}'), 400, 'bad_request');
    const latin = await api.as(person)('/projects', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      bytes: Buffer.from('{"name":"caf\xe9"}', 'latin1'),
    });
    expectError(latin, 400, 'bad_request');
  });

  test('may hold unknown keys, even treacherous ones', async () => {
    const answer = await post('{"name":"odd keys","__proto__":{"admin":true},"constructor":1,"nonsense":[]}');
    expect(answer.status).toBe(201);
    expect(answer.text).not.toContain('nonsense');
  });
});

describe('the state of the service', () => {
  test('healthz tells that the process is alive', async () => {
    expect(await api.call('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  test('readyz tells that store and engine answer', async () => {
    const answer = await api.call('/readyz');
    expect(answer).toMatchObject({ status: 200, body: { status: 'ready', store: true, engine: true } });
  });

  test('readyz is 503 and says what is away', async () => {
    const { server, close } = await api.withoutEngine();
    const answer = await server.inject('/readyz');
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toEqual({
      status: 'unavailable',
      store: true,
      engine: false,
      problem: null,
      stalled: [],
      shortage: null,
    });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    const lock = await server.inject({
      url: '/executions/lock-status',
      headers: { authorization: `Bearer ${person.token}`, 'x-project-id': project },
    });
    expect(lock.statusCode).toBe(503);
    expect(lock.json()).toMatchObject({ code: 'engine_unavailable', detail: expect.any(String) });
    expect(Number(lock.headers['retry-after'])).toBeGreaterThan(0);
    await close();
  });

  test('a store that is away makes requests 503 with Retry-After, and leaves healthz alone', async () => {
    const gone = await connectDatabase(api.settings.MONGODB_URI, api.settings.MONGODB_DATABASE);
    const server = await buildCheckedServer({
      settings: api.settings,
      database: gone,
      engine: api.engine,
      log: createLog('test', 'silent'),
    });
    await gone.close();
    const headers = { authorization: `Bearer ${person.token}` };
    const answer = await server.inject({ url: '/projects', headers });
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({ code: 'store_unavailable' });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect((await server.inject('/readyz')).json()).toEqual({
      status: 'unavailable',
      store: false,
      problem: null,
      stalled: [],
      shortage: null,
      engine: true,
    });
    expect((await server.inject('/healthz')).statusCode).toBe(200);
    await server.close();
  });

  test('an unforeseen failure is 500 without its reason, which goes to the log', async () => {
    const lines: string[] = [];
    const server = await buildCheckedServer({
      settings: api.settings,
      database: api.database,
      engine: api.engine,
      log: createLog('test', 'info', { write: (line: string) => void lines.push(line) }),
    });
    await api.database.db.collection<{ _id: string }>('chips').insertOne(
      Object.assign(
        { _id: `${project}/broken` },
        {
          project_id: project,
          chip_id: 'broken',
          complete: true,
          note: { content: '' },
          installed_at: 'yesterday',
        },
      ),
    );
    const answer = await server.inject({
      url: '/chips/broken',
      headers: { authorization: `Bearer ${person.token}`, 'x-project-id': project },
    });
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toEqual({ code: 'internal', detail: expect.not.stringContaining('toISOString') });
    expect(lines.join('')).toContain(String(answer.headers['x-request-id']));
    expect(lines.join('')).not.toContain(person.token);
    await server.close();
  });
});

test('the key that signs tokens is readable by its owner alone', async () => {
  const file = join(api.directory, 'token-secret');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await readFile(file, 'utf8')).trim()).toMatch(/^[0-9a-f]{64}$/);
});
