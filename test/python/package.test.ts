import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pythonCatalog, pythonCatalogFile } from '../../scripts/python/catalog.ts';
import { interfaceFingerprint, pythonClientFolder } from '../../scripts/python/generators.ts';
import { pythonVersion } from '../support/python.ts';
import { INSTALLS_WITHIN, pythonFolder, pythonForPackage, unpackedWheel } from '../support/python-package.ts';

const run = promisify(execFile);
const version = await pythonVersion();

test('the catalog in the Python package is the one of this version', async () => {
  expect(await readFile(pythonCatalogFile, 'utf8')).toBe(await pythonCatalog());
});

test.skipIf(version === null)(
  'the client in the Python package is made from the interface of this version',
  async () => {
    const made = await readFile(join(pythonClientFolder, '__init__.py'), 'utf8');
    expect(made, 'run npm run python-client').toContain(`FINGERPRINT = "${await interfaceFingerprint()}"`);
  },
);

describe.skipIf(version === null)('the Python package', () => {
  let directory: string;
  let interpreter: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'calibron-python-'));
    interpreter = await pythonForPackage(version ?? '');
  }, INSTALLS_WITHIN);
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  /** Runs a module of Python in the package's folder. The output is part of the error if it fails. */
  async function python(words: readonly string[], environment: Record<string, string> = {}): Promise<string> {
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...environment };
    const options = { cwd: pythonFolder, env, maxBuffer: 16 * 1024 * 1024 };
    const { stdout, stderr } = await run(interpreter, ['-m', ...words], options);
    return `${stdout}${stderr}`;
  }

  test('has no problem of style or types', async () => {
    await python(['ruff', 'check', '--no-cache', '.']);
    await python(['ruff', 'format', '--no-cache', '--check', '.']);
    await python(['mypy', '--cache-dir', join(directory, 'types')]);
  });

  test('passes its own tests when it is installed from its wheel', async () => {
    const unpacked = await unpackedWheel(interpreter, directory);
    const passed = await python(['pytest', '-p', 'no:cacheprovider', '-m', 'not slow'], {
      PYTHONPATH: unpacked,
    });
    expect(passed).toMatch(/\d+ passed/);
    expect(passed).not.toMatch(/skipped/);
  });
});
