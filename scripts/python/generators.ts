import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cachedDirectory, cacheRoot } from '../engines/cache.ts';
import { currentDocuments } from '../openapi/document.ts';
import { documentText } from '../openapi/kept-documents.ts';

const GENERATORS = ['datamodel-code-generator==0.89.0', 'ruff==0.17.6'];
const run = promisify(execFile);

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
    await writeFile(document, documentText((await currentDocuments()).current));
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
