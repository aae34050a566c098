import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { killEngines } from '../../scripts/engines/abrupt-end.ts';
import { mongodbCandidates } from '../../scripts/engines/candidates.ts';
import { freePort, PortTaken, startMongo, stopEngine } from '../../scripts/engines/processes.ts';
import { findEngine } from '../../scripts/engines/sources.ts';

export type OwnStore = Awaited<ReturnType<typeof openOwnStore>>;

/** A store of a test's own that keeps its data in files, so that it can be killed and come back. */
export async function openOwnStore() {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-store-'));
  const port = await freePort();
  const start = async () =>
    startMongo(await findEngine('mongodb', () => undefined, mongodbCandidates().slice(1)), {
      port,
      dataPath: join(directory, 'store'),
      logFile: join(directory, 'store.log'),
    });
  let store = await start();
  return {
    address: store.address,

    /** Ends it at once, as a crash would. */
    kill: () => killEngines([store]),

    /** Starts it again on the same files and port, and waits until it answers. */
    async comeBack(): Promise<void> {
      for (let started: typeof store | null = null; !started; ) {
        started = await start().catch((thrown: unknown) => {
          // The one that was killed may still be about to let go of it.
          if (thrown instanceof PortTaken) return wait(100, null);
          throw thrown;
        });
        if (started) store = started;
      }
    },

    async close(): Promise<void> {
      await stopEngine(store, 5000);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
