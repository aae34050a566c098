import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { isAlive } from '../../../scripts/engines/pids.ts';
import { newId } from '../../../shared/kernel/new-ids.ts';
import { kill, launch, processesNaming, remembered } from '../../support/launching.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-lab-temporal-'));
});
afterAll(async () => {
  for (const pid of processesNaming(directory)) if (isAlive(pid)) kill(pid);
  await rm(directory, { recursive: true, force: true });
});

test('a Temporal of the lab that has no namespace yet gets it before the instrument starts', async () => {
  const running = launch([], {
    ...{ DATA_DIR: directory, API_PORT: '0', ADMIN_PASSWORD: 'a password of the test' },
    ...{ TEMPORAL_ADDRESS: inject('temporal'), TEMPORAL_NAMESPACE: `start_${newId().slice(0, 8)}` },
  });
  await running.until('Calibron is ready');
  const { instrument } = await remembered(directory);
  expect(instrument?.pid && isAlive(instrument.pid)).toBe(true);
  running.signal('SIGTERM');
  expect(await running.ended).toBe(0);
});
