import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExecutionDocument } from '../../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { executionNamed } from '../support/ids.ts';
import { type Api, type Person, startApi } from './harness.ts';
import { makeLaboratory, storedExecution, storedTask } from './laboratory.ts';

let api: Api;
let owner: Person;
let project: ProjectId;
const executionId = '20260102-003';

beforeAll(async () => {
  api = await startApi({ engine: 'prepared' });
  owner = await api.makePerson();
  ({ project } = await makeLaboratory(api, owner, await api.makePerson()));
  await api.database.db
    .collection<ExecutionDocument>('executions')
    .insertOne(storedExecution(project, owner, { execution_id: executionNamed(executionId) }));
  await api.database.db
    .collection<TaskResultDocument>('task_results')
    .insertMany(
      Array.from({ length: 10 }, () =>
        storedTask(project, owner, { execution_id: executionNamed(executionId), closed_at: new Date() }),
      ),
    );
});
afterAll(() => api.close());

/** What the client takes; null leaves the header out. */
const get = (url: string, encodings: string | null, headers: Record<string, string> = {}) =>
  api.server.inject({
    url,
    headers: {
      authorization: `Bearer ${owner.token}`,
      'x-project-id': project,
      ...(encodings !== null && { 'accept-encoding': encodings }),
      ...headers,
    },
  });

test.each([
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
  ['deflate', inflateSync],
] as const)('an answer over 1 KB comes as %s to a client that takes it', async (encoding, decode) => {
  // The second is sent in pieces.
  for (const url of ['/flows/templates', `/executions/${executionId}`]) {
    const plain = await get(url, null);
    const compressed = await get(url, encoding);
    expect(compressed.headers).toMatchObject({
      'content-encoding': encoding,
      vary: expect.stringMatching(/accept-encoding/i),
    });
    expect(compressed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
    expect(decode(compressed.rawPayload).toString()).toBe(plain.body);
    const length = compressed.headers['content-length'];
    if (length !== undefined) expect(length).toBe(String(compressed.rawPayload.length));
  }
});

test('a small answer, and one for a client that takes no encoding, comes as it is', async () => {
  for (const [url, encodings] of [
    ['/healthz', 'gzip'],
    ['/flows/templates', null],
    ['/flows/templates', 'identity'],
    ['/flows/templates', 'gzip;q=0'],
  ] as const) {
    const answer = await get(url, encodings);
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(() => answer.json()).not.toThrow();
  }
});

test('events come one by one, never compressed', async () => {
  const answer = await get(`/executions/${executionId}/events`, 'gzip, br');
  expect(answer.headers['content-encoding']).toBeUndefined();
  expect(answer.body.length).toBeGreaterThan(1024);
  expect(answer.body).toContain('event: end');
});

test('a stored file keeps its bytes, whatever its kind: tag, length and ranges are those of the file', async () => {
  const folder = join(api.settings.CALIB_DATA_PATH, project, 'CHIP');
  await mkdir(folder, { recursive: true });
  const text = JSON.stringify({ data: 'x'.repeat(5000) });
  for (const name of ['fig.json', 'table.csv', 'raw.nc']) await writeFile(join(folder, name), text);
  for (const route of ['/executions/artifact', '/files/raw-data']) {
    for (const name of ['fig.json', 'table.csv', 'raw.nc']) {
      const url = `${route}?path=${encodeURIComponent(join(folder, name))}`;
      const whole = await get(url, 'gzip, br');
      expect(whole.headers['content-encoding']).toBeUndefined();
      expect(whole.headers['content-length']).toBe(String(text.length));
      expect(whole.body).toBe(text);
      const part = await get(url, 'gzip', { range: 'bytes=0-3999', 'if-range': String(whole.headers.etag) });
      expect([part.statusCode, part.body]).toEqual([206, text.slice(0, 4000)]);
      const again = await get(url, 'gzip', { 'if-none-match': String(whole.headers.etag) });
      expect(again.statusCode).toBe(304);
    }
  }
  const archive = await get(`/files/zip?path=${encodeURIComponent(folder)}`, 'gzip');
  expect(archive.headers['content-encoding']).toBeUndefined();
});

test('HEAD says what GET would, without a body', async () => {
  const answer = await api.server.inject({
    method: 'HEAD',
    url: '/flows/templates',
    headers: { authorization: `Bearer ${owner.token}`, 'x-project-id': project, 'accept-encoding': 'gzip' },
  });
  expect([answer.statusCode, answer.body]).toEqual([200, '']);
});
