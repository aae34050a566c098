import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readlink } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/laboratory.ts';
import { type Api, startApi } from './harness.ts';

/** Where Linux shows the descriptors of a process. */
const descriptors = '/proc/self/fd';

let api: Api;
let address: string;
let large: string;
/** As large, and not compressed in an archive. */
let stored: string;

beforeAll(async () => {
  api = await startApi();
  address = await api.server.listen({ host: '127.0.0.1', port: 0 });
  const folder = join(api.settings.CALIB_DATA_PATH, 'project', 'CHIP');
  await mkdir(folder, { recursive: true });
  [large, stored] = [join(folder, 'large.nc'), join(folder, 'stored.png')];
  for (const path of [large, stored]) {
    const file = await open(path, 'w');
    await file.truncate(200 * 1024 * 1024);
    await file.close();
  }
});
afterAll(() => api.close());

/** Files of the calibration data that this process holds open. */
async function openFiles(): Promise<string[]> {
  const targets = await Promise.all(
    (await readdir(descriptors)).map((name) => readlink(join(descriptors, name)).catch(() => '')),
  );
  return targets.filter((target) => target.startsWith(api.settings.CALIB_DATA_PATH));
}

/** Asks for something large and goes away after the first bytes. */
function beginAndLeave(path: string): Promise<void> {
  return new Promise((left, failed) => {
    const request = get(`${address}${path}`, (response) => {
      response.once('data', () => {
        response.destroy();
        left();
      });
    });
    request.once('error', failed);
  });
}

test.skipIf(!existsSync(descriptors))(
  'no answer leaves a file open, nor does a client that goes away',
  async () => {
    const query = { path: large };
    const { headers } = await api.call('/files/raw-data', { query, method: 'HEAD' });
    const conditions: Record<string, string>[] = [
      { range: 'bytes=0-9' },
      { range: `bytes=${300 * 1024 * 1024}-` },
      { 'if-none-match': String(headers.etag) },
    ];
    for (const given of conditions) await api.call('/files/raw-data', { query, headers: given });
    await api.call('/executions/artifact/preview', { query });
    const path = encodeURIComponent(large);
    await beginAndLeave(`/files/raw-data?path=${path}`);
    await beginAndLeave(`/executions/artifacts/archive?paths=${path}&paths=${path}`);
    await beginAndLeave(`/files/zip?path=${encodeURIComponent(join(large, '..'))}`);
    await eventually(async () => (await openFiles()).length === 0);
  },
);

test('a user who reads many archives slowly waits for them alone', async () => {
  const [slow, other] = [await api.makePerson(), await api.makePerson()];
  const begun = (token: string | null, signal?: AbortSignal) =>
    new Promise<number>((answered, failed) => {
      const headers = token === null ? {} : { authorization: `Bearer ${token}` };
      const url = `${address}/executions/artifacts/archive?paths=${encodeURIComponent(stored)}`;
      const request = get(url, { headers, signal }, (response) => {
        response.on('error', () => {}); // this reader leaves on purpose
        answered(response.statusCode ?? 0);
      });
      request.once('error', failed);
    });
  const readers = new AbortController();
  try {
    // Nobody reads the answers, so none of them ends.
    expect(await Promise.all([begun(slow.token, readers.signal), begun(slow.token, readers.signal)])).toEqual(
      [200, 200],
    );
    const more = Array.from({ length: 21 }, () => begun(slow.token, readers.signal));
    const ends = Promise.allSettled(more);
    expect(await Promise.any(more)).toBe(429);
    expect(await begun(other.token, readers.signal)).toBe(200);
    expect(await begun(null, readers.signal)).toBe(200);
    readers.abort();
    await ends;
    const last = new AbortController();
    expect(await begun(slow.token, last.signal)).toBe(200);
    last.abort();
  } finally {
    readers.abort();
  }
});

test('a large archive is sent as it is made', async () => {
  const before = process.memoryUsage().rss;
  const bytes = await new Promise<number>((done, failed) => {
    get(`${address}/files/zip?path=${encodeURIComponent(large)}`, (response) => {
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
      });
      response.once('end', () => done(length));
    }).once('error', failed);
  });
  expect(bytes).toBeGreaterThan(100_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
});
