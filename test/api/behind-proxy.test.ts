import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/laboratory.ts';
import { type Api, startApi } from './harness.ts';

const PROGRAM = ['haproxy', '/usr/sbin/haproxy'].find((each) => {
  try {
    return execFileSync(each, ['-v']).length > 0;
  } catch {
    return false;
  }
});
const shipped = readFileSync(new URL('../../config/haproxy/haproxy.cfg', import.meta.url), 'utf8');
const PER_ADDRESS = 5;

test('the shipped proxy says itself where a request comes from', () => {
  expect(shipped).toContain('http-request set-header X-Forwarded-For %[src]');
  expect(shipped).not.toContain('option forwardfor');
});

describe.skipIf(PROGRAM === undefined)('behind the shipped proxy', () => {
  let api: Api;
  let proxy: ChildProcess;
  let port: number;
  /** In place of Temporal's UI, behind `uiPort` of the proxy. */
  let ui: Server;
  let uiPort: number;
  const uiRequests: IncomingHttpHeaders[] = [];

  beforeAll(async () => {
    ui = createHttpServer(({ headers }, answer) => {
      uiRequests.push(headers);
      answer.end('workflows');
    }).listen(0, '127.0.0.1');
    await once(ui, 'listening');
    uiPort = await freePort();
    api = await startApi({
      environment: { TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_ADDRESS: String(PER_ADDRESS) },
    });
    const address = new URL(await api.server.listen({ host: '127.0.0.1', port: 0 })).host;
    port = await freePort();
    // The file as it is shipped, but for its own port and where the API is.
    const configuration = shipped
      .replace('bind :5715', `bind 127.0.0.1:${port}`)
      .replace(/server-template .*/, `server api-1 ${address}`)
      .replace('bind :8233', `bind 127.0.0.1:${uiPort}`)
      .replace(/server ui .*/, `server ui 127.0.0.1:${portOf(ui)}`);
    const path = join(api.directory, 'haproxy.cfg');
    await writeFile(path, configuration);
    proxy = spawn(PROGRAM ?? '', ['-f', path, '-db'], {
      stdio: 'ignore',
      env: { ...process.env, TEMPORAL_UI_PASSWORD: 'a-password-of-48' },
    });
    await eventually(async () => (await ask('/healthz', '127.0.0.1').catch(() => 0)) === 200);
  });
  afterAll(async () => {
    const ended = once(proxy, 'exit');
    proxy.kill();
    await ended;
    ui.close();
    await api.close();
  });

  /** The status of a request through the proxy. */
  function ask(path: string, localAddress: string, headers: Record<string, string> = {}): Promise<number> {
    return new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, path, localAddress, headers, agent: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      })
        .once('error', reject)
        .end();
    });
  }

  test('a client counts as itself, whatever it says that it is', async () => {
    const statuses: number[] = [];
    for (let asked = 0; asked < PER_ADDRESS + 2; asked += 1) {
      const forged = `10.0.0.${asked}`;
      const headers = { 'x-forwarded-for': forged, forwarded: `for=${forged}`, 'x-real-ip': forged };
      statuses.push(await ask('/auth/me', '127.0.0.2', headers));
    }
    expect(statuses).toEqual([...Array<number>(PER_ADDRESS).fill(401), 429, 429]);
    expect(await ask('/auth/me', '127.0.0.3'), 'another client').toBe(401);
  });

  test("Temporal's UI is shown to those who know its password, which the UI itself does not get", async () => {
    const show = (authorization?: string) =>
      fetch(`http://127.0.0.1:${uiPort}/namespaces`, { headers: authorization ? { authorization } : {} });
    const basic = (user: string, password: string) =>
      `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const refused = await show();
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('Temporal UI of Calibron');
    expect((await show(basic('operator', 'another'))).status).toBe(401);
    expect((await show(basic('operator', ''))).status).toBe(401);
    expect((await show('Bearer a-password-of-48')).status).toBe(401);
    expect(uiRequests).toEqual([]);
    const shown = await show(basic('operator', 'a-password-of-48'));
    expect([shown.status, await shown.text()]).toEqual([200, 'workflows']);
    expect(uiRequests).toHaveLength(1);
    expect(uiRequests[0]).not.toHaveProperty('authorization');
  });

  test('who reaches the API past the proxy is not believed either', async () => {
    const statuses: number[] = [];
    for (let asked = 0; asked < PER_ADDRESS + 1; asked += 1) {
      const headers = { 'x-forwarded-for': `10.0.0.${asked}` };
      statuses.push((await api.call('/auth/me', { from: '172.30.57.200', headers })).status);
    }
    expect(statuses.at(-1)).toBe(429);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}

function portOf(server: { address(): AddressInfo | string | null }): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}
