import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { metrics } from '../../api/plugins/metrics.ts';
import { stalls } from '../../api/plugins/stalls.ts';
import { eventually } from '../support/laboratory.ts';
import { firing, readAlertRules, seriesOf } from '../workers/alert-rules.ts';
import { startApi } from './harness.ts';

const rules = await readAlertRules();
let app: FastifyInstance;
let finishLogin: () => void;
let isRefused = false;

beforeEach(async () => {
  isRefused = false;
  app = Fastify();
  await app.register(metrics);
  await app.register(stalls, {
    every: 5,
    limit: 50,
    readSmallFile: async () => undefined,
    checkPassword: () =>
      isRefused
        ? Promise.reject(new Error('too many'))
        : new Promise<void>((resolve) => {
            finishLogin = resolve;
          }),
  });
  await app.ready();
});
afterEach(() => app.close());

test('logins that take too long are reported while they last, and no longer', async () => {
  await eventually(async () => app.stalls.current.includes('logins'));
  expect(app.stalls.current).toEqual(['logins']);
  const text = await app.metrics.text();
  const seconds = Number(/^calibron_probe_logins_seconds (.*)$/m.exec(text)?.[1]);
  expect(seconds).toBeGreaterThanOrEqual(0.05);
  expect(text).toMatch(/^calibron_probe_file_reads_seconds /m);
  // Each probe from now on ends as soon as it begins.
  await eventually(async () => {
    finishLogin();
    return app.stalls.current.length === 0;
  });
});

test('logins that are refused count as stalled', async () => {
  await eventually(async () => finishLogin !== undefined);
  isRefused = true;
  finishLogin();
  await eventually(async () => app.stalls.current.includes('logins'));
});

/** The alerts of an API whose probes do this. */
async function alertsOf(probes: { checkPassword(): Promise<unknown>; readSmallFile(): Promise<unknown> }) {
  const probed = Fastify();
  await probed.register(metrics);
  await probed.register(stalls, { every: 5, ...probes });
  await probed.ready();
  const alerts = async () => {
    const series = seriesOf(await probed.metrics.text());
    return ['CalibronLoginsStall', 'CalibronFileReadsStall'].filter(
      (alert) => firing(rules, alert, series).length > 0,
    );
  };
  return { alerts, close: () => probed.close() };
}

test('file reads that hang fire an alert, and logins that are refused one of their own, at once', async () => {
  const refusing = await alertsOf({
    checkPassword: () => Promise.reject(new Error('too many')),
    readSmallFile: async () => undefined,
  });
  await eventually(async () => (await refusing.alerts()).join() === 'CalibronLoginsStall');
  await refusing.close();
  const hanging = await alertsOf({
    checkPassword: async () => undefined,
    readSmallFile: () => new Promise(() => {}),
  });
  expect(await hanging.alerts()).toEqual([]);
  await eventually(async () => (await hanging.alerts()).join() === 'CalibronFileReadsStall');
  await hanging.close();
});

test('readiness is 200 and degraded while work stalls, since most requests are still served', async () => {
  const api = await startApi({ environment: {} });
  const ready = await api.call('/readyz');
  expect(ready).toMatchObject({ status: 200, body: { status: 'ready', stalled: [] } });
  Object.defineProperty(api.server.stalls, 'current', { get: () => ['file_reads'] });
  expect(await api.call('/readyz')).toMatchObject({
    status: 200,
    body: { status: 'degraded', store: true, engine: true, stalled: ['file_reads'] },
  });
  await api.close();
});
