import { afterAll, beforeAll, expect, test } from 'vitest';
import { startedRun } from '../../shared/domain/runs/model.ts';
import { eventually } from '../support/laboratory.ts';
import { type Api, type Person, read, startApi } from './harness.ts';
import { type Laboratory, makeLaboratory } from './laboratory.ts';

let api: Api;
let owner: Person;
let laboratory: Laboratory;

beforeAll(async () => {
  api = await startApi({ engine: 'prepared' });
  owner = await api.makePerson();
  laboratory = await makeLaboratory(api, owner, await api.makePerson());
});
afterAll(() => api.close());

/** The value of one line of the figures, null when there is none. */
async function figure(line: string): Promise<number | null> {
  const { text } = await api.call('/metrics-prometheus');
  const found = text.split('\n').find((each) => each.startsWith(`${line} `));
  return found === undefined ? null : Number(found.slice(line.length));
}

test('figures of the process need no token and come in the text format of Prometheus', async () => {
  const answer = await api.call('/metrics-prometheus');
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(answer.text).toContain('# TYPE http_request_duration_seconds histogram\n');
  expect(await figure('process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
});

test('answers are counted by method, route and status, without what clients put into addresses', async () => {
  await laboratory.as('/chips/CHIP-OF-MINE');
  await laboratory.as('/chips/CHIP-OF-MINE');
  await api.call('/no-such-place');
  const count = (labels: string) => figure(`http_request_duration_seconds_count{${labels}}`);
  expect(await count('method="GET",route="/chips/:chip_id",status="404"')).toBe(2);
  expect(await count('method="GET",route="unknown",status="404"')).toBe(1);
  const { text } = await api.call('/metrics-prometheus');
  for (const secret of ['CHIP-OF-MINE', 'no-such-place', laboratory.project, owner.id])
    expect(text).not.toContain(secret);
});

test('listeners to events are counted while they listen', async () => {
  const listeners = () => figure('calibron_event_listeners');
  expect(await listeners()).toBe(0);
  const address = await api.server.listen({ host: '127.0.0.1', port: 0 });
  const { execution_id } = read(startedRun, await laboratory.execute());
  const leaving = new AbortController();
  const listen = () =>
    fetch(`${address}/executions/${execution_id}/events`, {
      headers: { authorization: `Bearer ${owner.token}`, 'x-project-id': laboratory.project },
      signal: leaving.signal,
    });
  await Promise.all([listen(), listen()]);
  expect(await listeners()).toBe(2);
  leaving.abort();
  await eventually(async () => (await listeners()) === 0);
});
