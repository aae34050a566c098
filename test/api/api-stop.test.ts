import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { connectDatabase } from '../../shared/kernel/database.ts';
import { executionIdSchema } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { eventually } from '../support/laboratory.ts';
import { type ApiProcess, startApiProcess } from './api-process.ts';

const CLIENTS = 200;
const FIGURE_BYTES = 24 * 2 ** 20;
const password = 'correct horse battery';
const name = `stop_${newId().slice(0, 8)}`;
let directory: string;
let api: ApiProcess;
let address: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-stop-'));
  api = startApiProcess({
    DATA_DIR: directory,
    MONGODB_DATABASE: name,
    TEMPORAL_NAMESPACE: name,
    ADMIN_PASSWORD: password,
    API_DRAIN: '8',
    RATE_LIMIT_TOKEN: '1000000',
  });
  address = await api.listening();
});
afterAll(async () => {
  await api.kill();
  const database = await connectDatabase(process.env['CALIBRON_TEST_MONGODB'] ?? '', name);
  await database.db.dropDatabase();
  await database.close();
  await rm(directory, { recursive: true, force: true });
});

/** Begins a request; its body is what `send` writes. */
function begin(path: string, options: RequestOptions = {}) {
  const sent = request(`${address}${path}`, options);
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject);
  });
  return { sent, answer };
}

async function get(path: string, options: RequestOptions = {}): Promise<IncomingMessage> {
  const { sent, answer } = begin(path, options);
  sent.end();
  return answer;
}

/** Asks again and again on one connection, until the server says that it ends it. @returns the statuses */
async function keepAsking(headers: Record<string, string>, onAnswer: () => void): Promise<Set<number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const statuses = new Set<number>();
  for (;;) {
    const answer = await get('/auth/me', { agent, headers });
    await text(answer);
    statuses.add(answer.statusCode ?? 0);
    onAnswer();
    if (answer.headers.connection === 'close') return statuses;
  }
}

test(`an API with ${CLIENTS} busy clients, a listener, a download and an upload stops without failing one of them`, async () => {
  const login = await fetch(`${address}/auth/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'admin', password }),
  });
  const { access_token } = z.object({ access_token: z.string() }).parse(await login.json());
  const headers = { authorization: `Bearer ${access_token}` };
  const json = { ...headers, 'content-type': 'application/json' };
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(`${address}${path}`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify(body),
    });
    expect(answer.status).toBeLessThan(300);
    return answer.json();
  };

  // Without a worker the run stays open, and so does the stream of its events.
  await post('/chips', { chip_id: 'CHIP', size: 16 });
  const code = `export async function flow(session) {
  await session.run({ name: 'check', tasks: ['CheckT1'], targets: session.targets.all() });
}`;
  await post('/flows', { name: 'check', code, chip_id: 'CHIP', flow_function_name: 'flow' });
  const started = await post('/flows/check/execute', {});
  const { execution_id } = z.object({ execution_id: executionIdSchema }).parse(started);
  const stream = await get(`/executions/${execution_id}/events`, { headers });
  expect(stream.statusCode).toBe(200);
  const events = text(stream);

  // More than the buffers between server and client hold, so that it is still under way when the stop comes.
  const figure = join(directory, 'calib_data', 'large.png');
  await mkdir(join(directory, 'calib_data'), { recursive: true });
  await writeFile(figure, Buffer.alloc(FIGURE_BYTES));
  const download = await get(`/executions/figure?path=${encodeURIComponent(figure)}`, {
    agent: new Agent({ keepAlive: true }),
  });
  expect(download).toMatchObject({ statusCode: 200, headers: { connection: 'keep-alive' } });

  let answers = 0;
  const clients = Array.from({ length: CLIENTS }, () => keepAsking(headers, () => (answers += 1)));
  await eventually(async () => answers >= 2 * CLIENTS);
  const idle = new Agent({ keepAlive: true, maxSockets: 1 });
  await text(await get('/healthz', { agent: idle }));
  const upload = begin('/chips', { method: 'POST', headers: json });
  upload.sent.write('{"chip_id": "LATE", ');

  api.signal('SIGTERM');
  // Proxies and new clients hear that it stops before anybody is refused.
  const told = await eventually(async () => {
    const answer = await get('/readyz');
    return answer.statusCode === 503 && text(answer);
  });
  expect(JSON.parse(told)).toEqual({
    status: 'stopping',
    store: true,
    engine: true,
    problem: null,
    stalled: [],
    shortage: null,
  });
  const answersBefore = answers;
  const onIdle = await get('/healthz', { agent: idle });
  expect(onIdle).toMatchObject({ statusCode: 200, headers: { connection: 'close' } });
  onIdle.resume();
  const statuses = await Promise.all(clients);
  expect(new Set(statuses.flatMap((each) => [...each]))).toEqual(new Set([200]));
  expect(answers).toBeGreaterThanOrEqual(answersBefore);

  // What is under way is finished even when nobody new is let in.
  await eventually(() =>
    get('/healthz').then(
      (answer) => void answer.resume(),
      (thrown: unknown) => z.object({ code: z.literal('ECONNREFUSED') }).safeParse(thrown).success,
    ),
  );
  upload.sent.end('"size": 16}');
  expect((await upload.answer).statusCode).toBe(200);
  (await upload.answer).resume();
  expect(await buffer(download)).toHaveLength(FIGURE_BYTES);
  expect(await events).toContain('event: state\n');
  expect(await api.ended()).toBe(0);
  expect(api.out()).toContain('"clean":true');
});
