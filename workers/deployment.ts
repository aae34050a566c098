import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { WorkerDeploymentOptions } from '@temporalio/worker';
import type { Settings } from '../shared/kernel/config.ts';

/** The last line of a bundle, for stack traces: it names files of the machine that built it. */
const SOURCE_MAP = /\n\/\/# sourceMappingURL=\S*\s*$/;

/** What tells one version of the workflows from another: the hash of the code that replays, wherever it was built. */
export function buildIdOf(bundle: string): string {
  return createHash('sha256').update(bundle.replace(SOURCE_MAP, '')).digest('hex').slice(0, 12);
}

/** The version of the workers of this bundle; null where they have none. Which workflow it carries on: workflows/versioned.ts. */
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
