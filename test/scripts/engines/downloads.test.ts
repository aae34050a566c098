import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { onPath } from '../../../scripts/engines/commands.ts';
import { downloadFile, proxyFor } from '../../../scripts/engines/downloads.ts';
import { noReport } from '../../../scripts/engines/types.ts';

afterEach(() => vi.unstubAllEnvs());

const hasCurl = (await onPath('curl')) !== null;

test('the proxy of an address is that of its protocol, unless its host is excluded', () => {
  const url = 'https://temporal.download/cli';
  expect(proxyFor(url, {})).toBeNull();
  expect(proxyFor(url, { HTTP_PROXY: 'http://p:1' })).toBeNull();
  expect(proxyFor(url, { HTTPS_PROXY: 'http://p:1' })).toBe('http://p:1');
  expect(proxyFor(url, { https_proxy: 'http://p:2', HTTPS_PROXY: 'http://p:1' })).toBe('http://p:2');
  expect(proxyFor(url, { ALL_PROXY: 'http://p:3' })).toBe('http://p:3');
  for (const NO_PROXY of ['*', 'temporal.download', 'a.b, .download', '*.download']) {
    expect(proxyFor(url, { HTTPS_PROXY: 'http://p:1', NO_PROXY }), NO_PROXY).toBeNull();
  }
  expect(proxyFor(url, { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'example.org' })).toBe('http://p:1');
});

test.skipIf(!hasCurl)('a download goes through the proxy that the environment names', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-download-'));
  const seen: string[] = [];
  const proxy = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.end('the archive');
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(async () => {
    proxy.close();
    await rm(directory, { recursive: true, force: true });
  });
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  vi.stubEnv('http_proxy', `http://127.0.0.1:${address.port}`);
  vi.stubEnv('no_proxy', '');
  vi.stubEnv('NO_PROXY', '');
  const file = join(directory, 'archive');
  await downloadFile('http://engines.invalid/archive', file, 'the engine', noReport);
  expect(await readFile(file, 'utf8')).toBe('the archive');
  expect(seen).toEqual(['http://engines.invalid/archive']);
});
