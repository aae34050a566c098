import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cachedDirectory, cacheRoot } from '../../scripts/engines/cache.ts';

const run = promisify(execFile);

/** The folder of the Python package. */
export const pythonFolder = fileURLToPath(new URL('../../python/', import.meta.url));

/** Time limit in milliseconds of a hook that may be the first to install the packages, on a slow network and a busy machine. */
export const INSTALLS_WITHIN = 1_500_000;

const constraints = join(pythonFolder, 'tests', 'constraints.txt');

/**
 * The interpreter of a virtual environment with everything that the Python package and its tests need, but without the
 * package. Installed once and kept with the engines.
 * @param version of the Python on this machine
 * @param extra of the package whose dependencies are installed
 */
export async function pythonForPackage(version: string, extra = 'test'): Promise<string> {
  const declared = await Promise.all([readFile(join(pythonFolder, 'pyproject.toml')), readFile(constraints)]);
  const content = createHash('sha256').update(Buffer.concat(declared)).digest('hex').slice(0, 12);
  const entry = join(cacheRoot(), `calibron-python-${version}-${extra}-${content}`);
  const directory = await cachedDirectory(entry, async (target) => {
    await run('python3', ['-m', 'venv', target]);
    const pip = (...words: string[]) =>
      run(join(target, 'bin', 'python'), ['-m', 'pip', '--quiet', '--disable-pip-version-check', ...words]);
    await pip('install', '--constraint', constraints, `${pythonFolder}[${extra}]`);
    await pip('uninstall', '--yes', 'calibron');
  });
  return join(directory, 'bin', 'python');
}

/** Builds the wheel and unpacks it. @returns the directory for PYTHONPATH */
export async function unpackedWheel(python: string, directory: string): Promise<string> {
  const pip = (...words: string[]) =>
    run(python, ['-m', 'pip', '--quiet', '--disable-pip-version-check', ...words]);
  const wheels = join(directory, 'wheels');
  await pip('wheel', '--no-deps', '--no-build-isolation', '--wheel-dir', wheels, pythonFolder);
  const unpacked = join(directory, 'unpacked');
  await pip('install', '--no-deps', '--no-index', '--find-links', wheels, '--target', unpacked, 'calibron');
  return unpacked;
}
