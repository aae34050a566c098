import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startMongo, stopEngine } from '../../../../scripts/engines/processes.ts';
import { findEngine } from '../../../../scripts/engines/sources.ts';

export type OwnStore = Awaited<ReturnType<typeof openOwnStore>>;

/** A store of a test's own that keeps its data in files, so that it can be killed and come back. */
export async function openOwnStore() {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-store-'));
  const port = await freePort();
  const start = async () =>
    startMongo(await findEngine('mongodb', () => undefined), {
      port,
      dataPath: join(directory, 'store'),
      logFile: join(directory, 'store.log'),
    });
  let store = await start();
  return {
    address: store.address,

    /** Ends it at once, as a crash would. */
    kill: () => process.kill(store.pid ?? 0, 'SIGKILL'),

    /** Starts it again on the same files and port, and waits until it answers. */
    async comeBack(): Promise<void> {
      store = await start();
    },

    async close(): Promise<void> {
      await stopEngine(store, 5000);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
