import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { createLog } from '../../shared/kernel/log.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { type RunningWorkers, startWorkers } from '../../workers/workers.ts';
import type { Laboratory } from './laboratory.ts';

/** Our workers inside the test's process, with what the test has between engine and activities. */
export async function startOwnWorkers(
  lab: Laboratory,
  ...between: ActivityInterceptorsFactory[]
): Promise<RunningWorkers> {
  return startWorkers({
    ...lab,
    db: lab.database.db,
    log: createLog('test', 'SILENT'),
    bundlePath: await workflowBundle(lab.cache),
    identity: 'of a test',
    activityInterceptors: between,
  });
}
