import { execFile } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packageRoot } from '../../shared/kernel/package-root.ts';

const program = fileURLToPath(new URL('scripts/console/main.ts', packageRoot));

/** Builds the web console, if its sources have changed, in a separate process that gives way to the service. */
export async function buildConsoleBeside(signal: AbortSignal): Promise<void> {
  const building = promisify(execFile)(process.execPath, ['--import', 'tsx', program], {
    cwd: fileURLToPath(packageRoot),
    signal,
  });
  if (building.child.pid !== undefined) setPriority(building.child.pid, constants.priority.PRIORITY_LOW);
  await building;
}
