import { execFile } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import { isConsoleBuilt } from '../console/sources.ts';
import { isGuideBuilt } from '../guide/sources.ts';

const root = fileURLToPath(packageRoot);

/** Builds the web console and the guide, if their sources have changed, in processes with a lower priority than the service. */
export async function buildConsoleBeside(signal: AbortSignal): Promise<void> {
  // Asked here, because to start a process that finds nothing to do takes two seconds of a core.
  if (!(await isConsoleBuilt(root))) await runBeside('scripts/console/main.ts', signal);
  if (!(await isGuideBuilt())) await runBeside('scripts/guide/main.ts', signal);
}

async function runBeside(program: string, signal: AbortSignal): Promise<void> {
  const building = promisify(execFile)(process.execPath, ['--import', 'tsx', join(root, program)], {
    cwd: root,
    signal,
  });
  if (building.child.pid !== undefined) setPriority(building.child.pid, constants.priority.PRIORITY_LOW);
  await building;
}
