import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { homePage } from '../../api/routes/home-page.ts';
import { clearStartProgress, writeStartProgress } from '../../shared/kernel/engine/start-progress.ts';
import { type Api, expectError, startApi } from './harness.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

test('a browser at the address of a service that is ready is sent to the console', async () => {
  const answer = await api.call('/', { headers: { accept } });
  expect(answer.status).toBe(302);
  expect(answer.headers['location']).toBe('console/');
});

test('without a console it learns that the service is ready, and where the documentation is', () => {
  const page = homePage(
    { status: 'ready', store: true, engine: true, problem: null, stalled: [], shortage: null },
    false,
  );
  expect(page).toContain('Calibron is ready.');
  expect(page).toContain('href="./docs"');
  expect(page).not.toContain('console');
  expect(page).not.toContain('http-equiv="refresh"');
});

test('a program finds no address there', async () => {
  expectError(await api.call('/'), 404, 'not_found');
  expectError(await api.call('/', { headers: { accept: 'application/json' } }), 404, 'not_found');
});

test('while Temporal is built, readyz and the page say how far it is, and the page loads itself again', async () => {
  const { server, close } = await api.withoutEngine();
  const { DATA_DIR } = api.settings;
  const problem = async () => (await server.inject('/readyz')).json().problem;
  try {
    await writeStartProgress(DATA_DIR, 'building <Temporal>: 40 s, 3 min left at most');
    expect(await problem()).toBe('building <Temporal>: 40 s, 3 min left at most');
    const page = await server.inject({ url: '/', headers: { accept } });
    expect(page.statusCode).toBe(200);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.body).toContain('Calibron is not ready.');
    expect(page.body).toContain('building &lt;Temporal&gt;: 40 s, 3 min left at most');
    expect(page.body).toContain('http-equiv="refresh"');
    // The start died an hour ago.
    const longAgo = new Date(Date.now() - 3_600_000);
    await utimes(join(DATA_DIR, 'temporal-progress.txt'), longAgo, longAgo);
    expect(await problem()).toBeNull();
    await writeStartProgress(DATA_DIR, 'building again');
    expect(await problem()).toBe('building again');
    await clearStartProgress(DATA_DIR);
    expect(await problem()).toBeNull();
  } finally {
    await close();
  }
});
