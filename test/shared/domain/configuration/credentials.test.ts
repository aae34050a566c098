import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRepository } from '../../../../shared/domain/configuration/repository.ts';

const token = 'secret-of-the-lab';
const basic = `Basic ${Buffer.from(`bot:${token}`).toString('base64')}`;

let directory: string;
let certificate: { key: Buffer; cert: Buffer };
const servers: Server[] = [];

/** A repository server that says how it answers each request, and what it was asked. */
async function serve(
  answer: (authorization: string | undefined) => [status: number, headers: Record<string, string>],
) {
  const asked: { url: string; authorization: string | undefined }[] = [];
  const server = createServer(certificate, (request, response) => {
    const { url = '', headers } = request;
    asked.push({ url, authorization: headers.authorization });
    const [status, more] = answer(headers.authorization);
    response.writeHead(status, more).end();
  });
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server does not listen');
  return { asked, url: `https://127.0.0.1:${address.port}/config.git` };
}

/** Pulls from a server; returns everything that clients and the log get to see. */
async function pullFrom(url: string): Promise<string> {
  const logged: unknown[] = [];
  const log = { warn: (...line: unknown[]) => void logged.push(line) };
  const config = await mkdtemp(join(directory, 'config-'));
  const refused = await createRepository(config, { url, user: 'bot', token }, log)
    .pull()
    .catch((thrown: Error) => thrown.message);
  expect(logged.length).toBe(1);
  return JSON.stringify([refused, logged]);
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-credentials-'));
  const files = ['-keyout', 'key.pem', '-out', 'cert.pem'];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '1'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files, ...subject], {
    cwd: directory,
    stdio: 'pipe',
  });
  const [key, cert] = await Promise.all(
    ['key.pem', 'cert.pem'].map((name) => readFile(join(directory, name))),
  );
  if (!key || !cert) throw new Error('openssl made no certificate');
  certificate = { key, cert };
  process.env.GIT_SSL_CAINFO = join(directory, 'cert.pem');
});
afterAll(async () => {
  delete process.env.GIT_SSL_CAINFO;
  for (const server of servers) server.close();
  await rm(directory, { recursive: true });
});

test('the token goes to the repository server that asks for it, and into no answer and no log', async () => {
  const { asked, url } = await serve((authorization) =>
    authorization === basic ? [500, {}] : [401, { 'www-authenticate': 'Basic realm="config"' }],
  );
  const seen = await pullFrom(url);
  expect(asked.map(({ authorization }) => authorization)).toEqual([undefined, basic]);
  expect(asked.map((each) => each.url).join()).not.toContain(token);
  expect(seen).toContain('cannot be reached');
  expect(seen).not.toContain(token);
  expect(seen).not.toContain(basic);
});

test('a server that refuses the token is not asked for ever', async () => {
  const { asked, url } = await serve(() => [401, { 'www-authenticate': 'Basic realm="config"' }]);
  expect(await pullFrom(url)).not.toContain(token);
  expect(asked.length).toBeLessThan(5);
});

test('the token does not follow a redirection to another server', async () => {
  const thief = await serve(() => [401, { 'www-authenticate': 'Basic realm="config"' }]);
  const { asked, url } = await serve(() => [
    302,
    { location: `${thief.url}/info/refs?service=git-upload-pack` },
  ]);
  await pullFrom(url);
  expect(asked.length).toBe(1);
  expect(thief.asked).toEqual([]);
});
