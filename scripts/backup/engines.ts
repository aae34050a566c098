import type { Settings } from '../../shared/kernel/config.ts';
import { readSettings } from '../../shared/kernel/config.ts';
import { connectEngine, type Engine, engineAccess } from '../../shared/kernel/engine/temporal.ts';
import { freePort, startTemporal, stopEngine } from '../engines/processes.ts';
import { findEngine } from '../engines/sources.ts';
import { noReport } from '../engines/types.ts';

const GRACE_MS = 30_000;

/** Opens a copy of Temporal's database with a server of its own. @returns the number of its open workflows */
export function checkTemporal(settings: Settings, databaseFile: string, logFile: string): Promise<number> {
  return withTemporal(settings, { databaseFile, logFile }, async (engine) => {
    const { count } = await engine.client.workflow.count('ExecutionStatus = "Running"');
    return count;
  });
}

/** Starts a Temporal server on a database, runs `use` with a connection to it, and stops it. */
export async function withTemporal<T>(
  settings: Settings,
  { databaseFile, logFile }: { databaseFile: string; logFile: string },
  use: (engine: Engine, address: string) => Promise<T>,
): Promise<T> {
  const source = await findEngine('temporal', noReport);
  const options = { port: await freePort(), namespace: settings.TEMPORAL_NAMESPACE, databaseFile, logFile };
  const server = await startTemporal(source, options);
  try {
    const there = readSettings({ ...process.env, TEMPORAL_ADDRESS: server.address });
    return await withEngine(there, (engine) => use(engine, server.address));
  } finally {
    await stopEngine(server, GRACE_MS);
  }
}

/** Runs `use` with a connection to the Temporal server of the settings. */
export async function withEngine<T>(settings: Settings, use: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = connectEngine(await engineAccess(settings));
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}
