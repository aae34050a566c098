import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { WorkerDeploymentOptions } from '@temporalio/worker';
import type { Settings } from '../shared/domain/settings.ts';

/** The last line of a bundle, used for stack traces. It contains file names of the build machine. */
const SOURCE_MAP = /\n\/\/# sourceMappingURL=\S*\s*$/;

/** Identifies a version of the workflows: a hash of the replayed code, independent of the build machine. */
export function buildIdOf(bundle: string): string {
  return createHash('sha256').update(bundle.replace(SOURCE_MAP, '')).digest('hex').slice(0, 12);
}

/** The worker version of this bundle; null if unversioned. See workflows/versioned.ts for which workflows it continues. */
export async function workerDeployment(
  settings: Pick<Settings, 'WORKER_DEPLOYMENT'>,
  bundlePath: string,
): Promise<WorkerDeploymentOptions | null> {
  const deploymentName = settings.WORKER_DEPLOYMENT;
  if (deploymentName === undefined) return null;
  return {
    version: { deploymentName, buildId: buildIdOf(await readFile(bundlePath, 'utf8')) },
    useWorkerVersioning: true,
    defaultVersioningBehavior: 'PINNED',
  };
}
