import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, expectError, type Person, startApi } from './harness.ts';

let api: Api;
let person: Person;
let port: number;
const LARGE = 10 * 1024 * 1024;

beforeAll(async () => {
  api = await startApi();
  person = await api.makePerson();
  port = Number(new URL(await api.server.listen({ host: '127.0.0.1', port: 0 })).port);
});
afterAll(() => api.close());

/** The status of the answer to a head whose body never comes; the server must not wait for it. */
async function statusBeforeBody(method: string, path: string, headers: readonly string[]): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  socket.write(
    [`${method} ${path} HTTP/1.1`, 'host: x', 'connection: close', ...headers, '', ''].join('\r\n'),
  );
  return new Promise((resolve, reject) => {
    socket.once('error', reject).once('data', (head) => {
      socket.destroy();
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(String(head))?.[1]));
    });
  });
}

test.each([
  ['POST', '/no/such/address', 404],
  ['PUT', '/projects', 405],
  ['POST', '/projects', 401],
  ['POST', '/auth/login', 413],
  ['POST', '/auth/logout', 413],
  ['POST', '/files/validate', 413],
])('%s %s with 10 MiB and no token is answered before a byte of the body', async (method, path, status) => {
  const type = path === '/auth/login' ? 'application/x-www-form-urlencoded' : 'application/json';
  const head = [`content-type: ${type}`, `content-length: ${LARGE}`];
  expect(await statusBeforeBody(method, path, head)).toBe(status);
});

test('a body without a length is cut off where it grows too large for a caller without a token', async () => {
  const socket = connect(port, '127.0.0.1');
  const head = [
    'POST /files/validate HTTP/1.1',
    'host: x',
    'content-type: application/json',
    'transfer-encoding: chunked',
    'connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const piece = Buffer.alloc(1024, '[');
  for (let sent = 0; sent < 80; sent += 1) socket.write(`400\r\n${piece}\r\n`);
  // The body has no end, and the answer is there all the same.
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  expect(answer).toContain('Without an access token a body has at most 64 KiB. Log in to send more.');
});

test('who is logged in may send more, in one or in pieces', async () => {
  const content = JSON.stringify({ content: `# ${'x'.repeat(100_000)}`, file_type: 'yaml' });
  const validate = (headers: Record<string, string>) =>
    fetch(`http://127.0.0.1:${port}/files/validate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: new Blob([content]).stream(),
      duplex: 'half',
    });
  const authorization = `Bearer ${person.token}`;
  expect((await validate({ authorization })).status).toBe(200);
  expect((await validate({})).status).toBe(413);
  const answer = await api.call('/files/validate', {
    method: 'POST',
    text: content,
    headers: { 'content-type': 'application/json' },
  });
  expectError(answer, 413, 'too_large');
});
