import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedDirectory, cacheRoot } from '../../scripts/engines/cache.ts';

/** The release that docs/backend_worker.py was tried with. */
const TEMPORALIO = '1.35.0';

const run = promisify(execFile);

/** The version of the Python on this machine that has pip, such as `3.11`; null when there is none. */
export async function pythonVersion(): Promise<string | null> {
  return run('python3', ['-m', 'pip', '--version']).then(
    ({ stdout }) => /\(python (\S+)\)/.exec(stdout)?.[1] ?? null,
    () => null,
  );
}

/** The directory with Temporal's SDK for this Python, for PYTHONPATH; installed once and kept with the engines. */
export function pythonPackages(version: string): Promise<string> {
  return cachedDirectory(
    join(cacheRoot(), `temporalio-${TEMPORALIO}-python-${version}`),
    async (directory) => {
      const quietly = ['--quiet', '--disable-pip-version-check', '--no-warn-script-location'];
      await run('python3', [
        '-m',
        'pip',
        'install',
        ...quietly,
        '--target',
        directory,
        `temporalio==${TEMPORALIO}`,
      ]);
    },
  );
}
