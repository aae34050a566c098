import { execFile } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packageRoot } from '../../shared/kernel/package-root.ts';

const programs = ['scripts/console/main.ts', 'scripts/guide/main.ts'].map((path) =>
  fileURLToPath(new URL(path, packageRoot)),
);

/** Builds the web console and the guide, if their sources have changed, in processes that give way to the service. */
export async function buildConsoleBeside(signal: AbortSignal): Promise<void> {
  for (const program of programs) await runBeside(program, signal);
}

async function runBeside(program: string, signal: AbortSignal): Promise<void> {
  const building = promisify(execFile)(process.execPath, ['--import', 'tsx', program], {
    cwd: fileURLToPath(packageRoot),
    signal,
  });
  if (building.child.pid !== undefined) setPriority(building.child.pid, constants.priority.PRIORITY_LOW);
  await building;
}
