import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../../scripts/engines/processes.ts';
import { createUiProxy } from '../../../scripts/start/ui-proxy.ts';

const TOKEN = 'secret-token';
const PAGE = '<!doctype html><html><head><title>Temporal</title></head><body></body></html>';

let inner: Server;
let seen: { url: string | undefined; headers: IncomingHttpHeaders; body: string }[];
let port: number;
const proxy = createUiProxy(TOKEN, 'calibron');

beforeEach(async () => {
  seen = [];
  inner = createServer(async (request, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    seen.push({ url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() });
    if (request.url === '/page') {
      answer.writeHead(200, { 'content-type': 'text/html', 'content-length': PAGE.length }).end(PAGE);
    } else answer.writeHead(201, { 'set-cookie': '_csrf=1' }).end('the interface');
  });
  await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve));
  port = await freePort();
  await proxy.open(port, (inner.address() as AddressInfo).port);
});
afterEach(async () => {
  await proxy.close();
  inner.close();
});

const ask = (password?: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${port}/namespaces?a=1`, {
    ...init,
    headers:
      password === undefined
        ? {}
        : { authorization: `Basic ${Buffer.from(`anyone:${password}`).toString('base64')}` },
  });

test('a request with the token is passed on without it, and its answer comes back unchanged', async () => {
  const answer = await ask(TOKEN, { method: 'POST', body: 'text' });
  expect([answer.status, await answer.text()]).toEqual([201, 'the interface']);
  expect(answer.headers.get('set-cookie')).toBe('_csrf=1');
  expect(seen).toMatchObject([{ url: '/namespaces?a=1', body: 'text' }]);
  expect(seen[0]?.headers.authorization).toBeUndefined();
  expect(seen[0]?.headers.host).toBe(`127.0.0.1:${port}`);
});

test('a request without the token is refused and not passed on', async () => {
  for (const password of [undefined, '', 'another', `${TOKEN}x`]) {
    const answer = await ask(password);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /);
  }
  expect(seen).toEqual([]);
});

test('a browser without columns of its own sees flow, chip and execution in lists; other columns stay as they are', async () => {
  const authorization = `Basic ${Buffer.from(`anyone:${TOKEN}`).toString('base64')}`;
  const read = async (accept: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/page`, { headers: { authorization, accept } });
    return answer.text();
  };
  const page = await read('text/html,*/*;q=0.8');
  expect(page.endsWith('<title>Temporal</title></head><body></body></html>')).toBe(true);
  const [, script = ''] = /<script>(.*?)<\/script>/.exec(page) ?? [];
  const columnsAfter = (kept: string | null): Record<string, { label: string }[]> => {
    const stored = new Map(kept === null ? [] : [['namespace-workflow-table-columns', kept]]);
    const localStorage = {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
    };
    runInNewContext(script, { localStorage });
    return JSON.parse(stored.get('namespace-workflow-table-columns') ?? '{}');
  };
  expect(columnsAfter(null)['calibron']?.map(({ label }) => label)).toEqual(
    expect.arrayContaining(['FlowName', 'ChipId', 'ExecutionId']),
  );
  const own = { calibron: [{ label: 'Status' }], default: [{ label: 'Type' }] };
  expect(columnsAfter(JSON.stringify(own))).toEqual(own);
  expect(await read('application/json')).toBe(PAGE);
});

test('an interface that is away is 502, and a proxy that is opened again leads to the new one', async () => {
  await proxy.open(port, await freePort());
  expect((await ask(TOKEN)).status).toBe(502);
  await proxy.open(port, (inner.address() as AddressInfo).port);
  expect((await ask(TOKEN)).status).toBe(201);
});

test('a port that is taken is reported', async () => {
  const other = createUiProxy(TOKEN, 'calibron');
  await expect(other.open(port, 1)).rejects.toThrow('EADDRINUSE');
  await other.close();
});
