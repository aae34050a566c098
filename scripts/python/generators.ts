import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cachedDirectory, cacheRoot } from '../engines/cache.ts';

const GENERATORS = ['datamodel-code-generator==0.89.0', 'ruff==0.17.6'];
const run = promisify(execFile);

const openapiProgram = fileURLToPath(new URL('../openapi/main.ts', import.meta.url));
const packageRoot = fileURLToPath(new URL('../../', import.meta.url));

/** The folder of the Python package. */
const packageFolder = fileURLToPath(new URL('../../python/', import.meta.url));

/** The generated part of the Python package: models and operations of the interface. */
export const pythonClientFolder = join(packageFolder, 'src/calibron/api');

/** The directory with the generators, installed once. */
async function generators(): Promise<string> {
  const { stdout } = await run('python3', ['-c', 'import platform; print(platform.python_version())']);
  const name = `python-generators-${GENERATORS.join('-').replace(/[^\w.-]/g, '_')}-python-${stdout.trim()}`;
  return cachedDirectory(join(cacheRoot(), name), async (target) => {
    await run('python3', ['-m', 'pip', 'install', '--quiet', '--target', target, ...GENERATORS]);
  });
}

/** Runs the generator of the Python package on the document of this version. */
async function generator(words: (document: string) => string[], packages: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-python-client-'));
  try {
    const document = join(directory, 'openapi.json');
    // In a process of its own, whose schemas are those of the service alone.
    await run(process.execPath, ['--import', 'tsx', openapiProgram, 'write', document], {
      cwd: packageRoot,
    });
    const env = {
      ...process.env,
      PYTHONPATH: [packages, packageFolder, join(packageFolder, 'src')].join(':'),
      PYTHONDONTWRITEBYTECODE: '1',
    };
    const { stdout } = await run('python3', ['-m', ...words(document)], { cwd: packageFolder, env });
    return stdout.trim();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Writes models and operations of the interface of this version to a folder. */
export async function writePythonClient(folder: string): Promise<void> {
  await generator((document) => ['generator.main', document, folder], await generators());
}

/** The fingerprint of the interface of this version, which the generated part carries. Needs no generators. */
export function interfaceFingerprint(): Promise<string> {
  return generator((document) => ['generator.document', document], '');
}
