import { mkdir } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../support/laboratory.ts';
import { type Api, startApi } from '../harness.ts';

let api: Api;
beforeAll(async () => {
  // More than any disk has.
  api = await startApi({ environment: { DISK_RESERVE_MIB: '1000000000000' } });
  await mkdir(api.settings.CALIB_DATA_PATH, { recursive: true });
});
afterAll(() => api.close());

test('without space for measurements the API is degraded, and names the disk', async () => {
  const answer = await eventually(async () => {
    const found = await api.call('/readyz');
    return JSON.stringify(found.body).includes('degraded') && found;
  });
  expect(answer).toMatchObject({
    status: 200,
    body: {
      ...{ status: 'degraded', store: true, engine: true, stalled: [] },
      shortage: expect.stringMatching(
        /^the disk of figures and raw data \(.*\) has \d+ MiB left, and a measurement starts with/,
      ),
    },
  });
  const { text } = await api.call('/metrics-prometheus');
  expect(text).toMatch(/^calibron_disk_short 1$/m);
});
