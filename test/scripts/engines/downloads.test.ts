import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { onPath } from '../../../scripts/engines/commands.ts';
import {
  downloadFile,
  downloadMongod,
  downloadTemporal,
  proxyFor,
} from '../../../scripts/engines/downloads.ts';
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

describe('a downloaded mongod', () => {
  /** A mirror with an archive, and the checksum of one. */
  async function mirror(checksumOf: (archive: Buffer) => string): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'calibron-mirror-'));
    await mkdir(join(directory, 'mongodb-linux', 'bin'), { recursive: true });
    await writeFile(join(directory, 'mongodb-linux', 'bin', 'mongod'), 'the program');
    execFileSync('tar', ['-czf', 'archive.tgz', 'mongodb-linux'], { cwd: directory });
    const archive = await readFile(join(directory, 'archive.tgz'));
    const server = createServer(({ url = '' }, response) => {
      response.end(url.endsWith('.sha256') ? `${checksumOf(archive)}  archive.tgz\n` : archive);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(async () => {
      server.close();
      await rm(directory, { recursive: true, force: true });
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the mirror has no port');
    vi.stubEnv('MONGOMS_DOWNLOAD_MIRROR', `http://127.0.0.1:${address.port}`);
    for (const name of ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY']) vi.stubEnv(name, '');
    return directory;
  }
  const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

  test('has the checksum that the vendor publishes', async () => {
    const directory = await mirror(sha256);
    const reports: string[] = [];
    await downloadMongod(directory, (line) => reports.push(line));
    expect(await readFile(join(directory, 'mongod'), 'utf8')).toBe('the program');
    expect(reports).toContainEqual(expect.stringMatching(/verified, SHA-256 [0-9a-f]{64}$/));
    expect(existsSync(join(directory, 'download'))).toBe(false);
  });

  test.each(['0'.repeat(64), '', '<html>'])(
    'with the checksum %o published is not installed',
    async (other) => {
      const directory = await mirror(() => other);
      await expect(downloadMongod(directory, noReport)).rejects.toThrow(
        'does not have the published checksum',
      );
      expect(existsSync(join(directory, 'mongod'))).toBe(false);
    },
  );
});

test('a downloaded Temporal is reported as unverified, with its SHA-256, because its vendor publishes no checksum', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-temporal-'));
  await writeFile(join(directory, 'temporal'), 'the program');
  execFileSync('tar', ['-czf', 'archive.tgz', 'temporal'], { cwd: directory });
  await rm(join(directory, 'temporal'));
  const archive = await readFile(join(directory, 'archive.tgz'));
  const asked: string[] = [];
  const server = createServer(({ method, url = '' }, response) => {
    if (method === 'GET') asked.push(url);
    response.end(archive);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    await rm(directory, { recursive: true, force: true });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  for (const name of ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY']) vi.stubEnv(name, '');
  const reports: string[] = [];
  const report = (line: string) => reports.push(line);
  await downloadTemporal('1.2.3', directory, report, `http://127.0.0.1:${address.port}`);
  expect(asked).toEqual([expect.stringMatching(/^\/cli\/archive\/v1\.2\.3\?platform=\w+&arch=\w+$/)]);
  expect(await readFile(join(directory, 'temporal'), 'utf8')).toBe('the program');
  const sha256 = createHash('sha256').update(archive).digest('hex');
  expect(reports.at(-1)).toBe(
    `Temporal CLI 1.2.3: unverified, the vendor publishes no checksum here; SHA-256 ${sha256}`,
  );
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
