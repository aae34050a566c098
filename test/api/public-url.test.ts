import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { ExecutionDocument } from '../../shared/domain/executions/model.ts';
import { readSettings } from '../../shared/domain/settings.ts';
import { executionIdSchema } from '../../shared/kernel/ids.ts';
import { publicPathOf } from '../../shared/kernel/public-url.ts';
import { executionNamed } from '../support/ids.ts';
import { type Api, type Person, startApi } from './harness.ts';
import { makeLaboratory, storedExecution } from './laboratory.ts';

const PREFIX = '/calibron';
const PUBLIC_URL = `https://lab.example${PREFIX}`;
const PER_ADDRESS = 60;
const execution_id = '20260102-003';

let api: Api;
let owner: Person;
let proxy: Server;
let outside: string;
let lab: Awaited<ReturnType<typeof makeLaboratory>>;

/** A reverse proxy that serves the API under a path, which it removes, and says who its client is. */
function proxyTo(target: URL): Server {
  return createServer((asked, answer) => {
    const url = asked.url ?? '';
    if (!url.startsWith(PREFIX)) {
      answer.writeHead(404).end();
      return;
    }
    const forwarded = request(
      {
        host: target.hostname,
        port: target.port,
        method: asked.method,
        path: url.slice(PREFIX.length) || '/',
        headers: {
          ...asked.headers,
          'x-forwarded-for': asked.headers['x-test-client'] ?? '192.0.2.1',
          'x-forwarded-host': 'wrong.example',
          'x-forwarded-prefix': '/wrong',
          'x-forwarded-proto': 'https',
        },
      },
      (given) => {
        answer.writeHead(given.statusCode ?? 502, given.headers);
        given.pipe(answer);
      },
    );
    forwarded.once('error', () => answer.destroy());
    asked.pipe(forwarded);
  });
}

beforeAll(async () => {
  api = await startApi({
    engine: 'prepared',
    environment: {
      PUBLIC_URL: `${PUBLIC_URL}/`,
      TRUSTED_PROXIES: '127.0.0.1',
      ARTIFACT_ACCESS: 'token',
      RATE_LIMIT_ADDRESS: String(PER_ADDRESS),
    },
  });
  owner = await api.makePerson();
  lab = await makeLaboratory(api, owner, await api.makePerson());
  await api.database.db
    .collection<ExecutionDocument>('executions')
    .insertOne(storedExecution(lab.project, owner, { execution_id: executionNamed(execution_id) }));
  const address = await api.server.listen({ host: '127.0.0.1', port: 0 });
  proxy = proxyTo(new URL(address)).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const at = proxy.address();
  if (typeof at !== 'object' || at === null) throw new Error('the proxy has no port');
  outside = `http://127.0.0.1:${at.port}${PREFIX}`;
});
afterAll(async () => {
  proxy.close();
  proxy.closeAllConnections();
  await api.close();
});

const signedIn = () => ({ authorization: `Bearer ${owner.token}`, 'x-project-id': lab.project });
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${outside}${path}`, { headers, redirect: 'manual' });

/** Addresses that a page loads, as a browser under the public address resolves them, on the test's proxy. */
function loadedBy(html: string, page: string): string[] {
  const found = [...html.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, address = '']) => address);
  return found
    .filter((address) => !address.startsWith('data:'))
    .map((address) => new URL(address, `${outside}${page}`).href);
}

test('the documents name the public address as their server', async () => {
  const document = z.object({ servers: z.array(z.object({ url: z.string() })) });
  for (const path of ['/openapi.json', '/docs/json', '/api/openapi.json']) {
    const answer = await get(path);
    expect(answer.status, path).toBe(200);
    expect(document.parse(await answer.json()).servers, path).toEqual([{ url: `${PUBLIC_URL}/` }]);
  }
});

test('/docs comes without a redirect, and everything that it loads is there', async () => {
  for (const page of ['/docs', '/docs/']) {
    const answer = await get(page);
    expect(answer.status).toBe(200);
    const addresses = loadedBy(await answer.text(), page);
    expect(addresses.length).toBeGreaterThan(3);
    for (const address of addresses) {
      const part = await fetch(address);
      await part.arrayBuffer();
      expect([address, part.status]).toEqual([address, 200]);
    }
  }
});

test('links to the client are under the public address, whatever host a client names', async () => {
  const answer = await fetch(`${outside}/flows/rabi/execute`, {
    method: 'POST',
    headers: { ...signedIn(), 'content-type': 'application/json' },
    body: '{}',
  });
  const started = z
    .object({ execution_id: executionIdSchema, service_ui_url: z.string(), qdash_ui_url: z.string() })
    .parse(await answer.json());
  const link = `${PUBLIC_URL}/console/execution/CHIP/${started.execution_id}?project=${lab.project}`;
  expect(started).toMatchObject({ service_ui_url: link, qdash_ui_url: link });
  await lab.free();
});

test('events arrive through the proxy, and figures by cookie under the path', async () => {
  const events = await get(`/executions/${execution_id}/events`, signedIn());
  expect(events.headers.get('content-type')).toContain('text/event-stream');
  expect(events.headers.get('x-accel-buffering')).toBe('no');
  expect(await events.text()).toContain('event: end');
  const figure = '/executions/figure?path=/nowhere';
  expect((await get(figure)).status).toBe(401);
  expect((await get(figure, { cookie: `access_token=${owner.token}` })).status).not.toBe(401);
});

test('a client is limited by the address that the trusted proxy names', async () => {
  const statusOf = async (client: string) => {
    const answer = await get('/auth/me', { 'x-test-client': client });
    await answer.arrayBuffer();
    return answer.status;
  };
  for (let asked = 0; asked < PER_ADDRESS; asked += 1) expect(await statusOf('198.51.100.1')).toBe(401);
  expect(await statusOf('198.51.100.1')).toBe(429);
  expect(await statusOf('198.51.100.2')).toBe(401);
});

test('cookies belong to the path of PUBLIC_URL', () => {
  expect(publicPathOf({})).toBe('/');
  expect(publicPathOf({ PUBLIC_URL: 'https://lab.example' })).toBe('/');
  expect(publicPathOf(readSettings({ PUBLIC_URL: 'https://lab.example/a/calibron/' }))).toBe('/a/calibron/');
});

test('an identity provider sends browsers back under PUBLIC_URL unless a setting names another address', () => {
  const provider = {
    OIDC_ISSUER: 'https://login.lab.example',
    OIDC_CLIENT_ID: 'calibron',
    OIDC_CLIENT_SECRET: 'of the client',
  };
  const own = 'https://lab.example/back';
  expect(readSettings({ ...provider, PUBLIC_URL }).OIDC_REDIRECT_URI).toBe(
    `${PUBLIC_URL}/auth/oidc/callback`,
  );
  expect(readSettings({ ...provider, PUBLIC_URL, OIDC_REDIRECT_URI: own }).OIDC_REDIRECT_URI).toBe(own);
  expect(readSettings({ PUBLIC_URL }).OIDC_REDIRECT_URI).toBeUndefined();
  expect(() => readSettings(provider)).toThrow('OIDC_REDIRECT_URI');
});

test('the client is under the public address unless it is set', () => {
  expect(readSettings({ PUBLIC_URL: 'https://lab.example/calibron/' })).toMatchObject({
    PUBLIC_URL: 'https://lab.example/calibron',
    CLIENT_URL: 'https://lab.example/calibron/console/',
    API_CORS_ORIGINS: ['https://lab.example'],
  });
  expect(readSettings({}).CLIENT_URL).toBe('http://localhost:5715/console/');
  expect(readSettings({ PUBLIC_URL, CLIENT_URL: 'http://ui.example' }).CLIENT_URL).toBe('http://ui.example');
  for (const wrong of [
    'lab.example',
    'ftp://lab.example',
    'https://a:b@lab.example',
    'https://lab.example/?a',
  ]) {
    expect(() => readSettings({ PUBLIC_URL: wrong })).toThrow('PUBLIC_URL');
  }
});
