import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { isRunning } from '../../scripts/engines/pids.ts';
import { EngineFailed, freePort, startTemporal, stopEngine } from '../../scripts/engines/processes.ts';
import { findEngine } from '../../scripts/engines/sources.ts';

export type OwnEngine = Awaited<ReturnType<typeof openOwnEngine>>;

/** An engine of a test's own that keeps what it knows in a file, so that it can be killed and come back. */
export async function openOwnEngine() {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-engine-'));
  const port = await freePort();
  const start = async () =>
    startTemporal(await findEngine('temporal', () => undefined), {
      port,
      databaseFile: join(directory, 'temporal.db'),
      synchronous: 'NORMAL',
      namespace: 'default',
      logFile: join(directory, 'temporal.log'),
    });
  let engine = await start();

  /** Sends a signal to the engine's process. One that was killed meanwhile gets none. */
  function signal(name: NodeJS.Signals): void {
    const pid = engine.pid ?? expect.fail('the engine is none of ours');
    if (isRunning({ pid, startTime: engine.startTime })) process.kill(pid, name);
  }

  return {
    address: engine.address,

    /** Ends it at once, as a crash would. */
    kill: () => signal('SIGKILL'),

    /** Stops its process without ending it, as a machine that hangs does. */
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),

    /**
     * Starts it again on the same file and port until it answers, as `npm start` does: a server whose statements were
     * interrupted while it started ends itself after a minute, and the next one starts.
     */
    async comeBack(): Promise<void> {
      for (let started: typeof engine | null = null; !started; ) {
        started = await start().catch((thrown: unknown) => {
          // The one that was killed may also be about to let go of the port.
          if (thrown instanceof EngineFailed) return wait(100, null);
          throw thrown;
        });
        if (started) engine = started;
      }
    },

    async close(): Promise<void> {
      await stopEngine(engine, 5000);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
