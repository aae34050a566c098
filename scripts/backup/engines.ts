import { isGrpcServiceError } from '@temporalio/client';
import { readSettings, type Settings } from '../../shared/domain/settings.ts';
import { activityPollers } from '../../shared/kernel/engine/pollers.ts';
import { connectEngine, type Engine, engineAccess } from '../../shared/kernel/engine/temporal.ts';
import { CALIBRATION_QUEUE } from '../../shared/kernel/engine/workflow-ids.ts';
import { freePort, startTemporal, stopEngine } from '../engines/processes.ts';
import { findEngine } from '../engines/sources.ts';
import { noReport } from '../engines/types.ts';
import { BackupProblem } from './problem.ts';

const GRACE_MS = 30_000;
/** The engine's code for a namespace that does not exist. */
const NOT_FOUND = 5;

/** Whether a setting names a server of the lab, itself or by a file: then npm start runs none. */
export function isLabServer(name: 'MONGODB_URI' | 'TEMPORAL_ADDRESS'): boolean {
  return Boolean(process.env[name] || process.env[`${name}_FILE`]);
}

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
    const there = readSettings({
      ...process.env,
      TEMPORAL_ADDRESS_FILE: '',
      TEMPORAL_ADDRESS: server.address,
    });
    return await withEngine(there, (engine) => use(engine, server.address));
  } finally {
    await stopEngine(server, GRACE_MS);
  }
}

/**
 * Refuses a namespace that an installation uses: a restore ends workflows.
 * @throws BackupProblem
 */
export async function refuseServedNamespace(settings: Settings): Promise<void> {
  const workers = await withEngine(settings, async (engine) => {
    try {
      return await activityPollers(engine, CALIBRATION_QUEUE);
    } catch (thrown) {
      if (isGrpcServiceError(thrown) && thrown.code === NOT_FOUND) return [];
      throw thrown;
    }
  });
  if (workers.length === 0) return;
  throw new BackupProblem(
    `Workers serve the namespace ${settings.TEMPORAL_NAMESPACE} of Temporal ${settings.TEMPORAL_ADDRESS} (${workers[0]}). ` +
      'If it is the one to restore to, stop them, and restore 90 s later. Otherwise set TEMPORAL_NAMESPACE to another one.',
  );
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
