import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { pythonClientFolder, writePythonClient } from '../../scripts/python/generators.ts';
import { pythonVersion } from '../support/python.ts';
import { pythonFolder, pythonForPackage } from '../support/python-package.ts';

const run = promisify(execFile);
const demoInstrument = fileURLToPath(new URL('../../workers/demo-instrument/main.ts', import.meta.url));
const goWorker = fileURLToPath(new URL('go-worker/', import.meta.url));

test('the client in the Python package is what the generator makes', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-python-client-'));
  try {
    await writePythonClient(directory);
    const names = (await readdir(directory)).sort();
    const kept = (await readdir(pythonClientFolder)).filter((name) => name.endsWith('.py')).sort();
    expect(kept).toEqual(names);
    for (const name of names) {
      const [made, stored] = await Promise.all([
        readFile(join(directory, name), 'utf8'),
        readFile(join(pythonClientFolder, name), 'utf8'),
      ]);
      expect(stored, `run npm run python-client: ${name}`).toBe(made);
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test('every worker passes the whole conformance kit, and a naive one does not', async () => {
  const version = await pythonVersion();
  if (version === null) throw new Error('This check needs Python with pip.');
  const { stdout } = await run(
    await pythonForPackage(version),
    ['-m', 'pytest', '-p', 'no:cacheprovider', '-m', 'slow'],
    { cwd: pythonFolder, env: { ...process.env, PYTHONPATH: join(pythonFolder, 'src') } },
  );
  expect(stdout).toMatch(/\d+ passed/);
});

test('a worker in Go passes the whole conformance kit', async () => {
  const version = await pythonVersion();
  if (version === null) throw new Error('This check needs Python with pip.');
  const directory = await mkdtemp(join(tmpdir(), 'calibron-go-worker-'));
  try {
    const program = join(directory, 'worker');
    await run('go', ['build', '-o', program, '.'], { cwd: goWorker });
    const { stdout } = await run(
      await pythonForPackage(version),
      ['-m', 'calibron.command.main', 'backend', 'check', '--command', program, '--task', 'CheckT1'],
      { env: { ...process.env, PYTHONPATH: join(pythonFolder, 'src') } },
    );
    expect(stdout).toContain('Nothing to fix.');
    expect(stdout).toContain('✓ stops its instrument when it is cut off');
    const source = await readFile(join(goWorker, 'main.go'), 'utf8');
    expect(source.split('\n').length - 1).toBeLessThanOrEqual(100);
    expect((await run('gofmt', ['-l', goWorker])).stdout).toBe('');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test('the worker in TypeScript passes the whole conformance kit', async () => {
  const version = await pythonVersion();
  if (version === null) throw new Error('This check needs Python with pip.');
  const directory = await mkdtemp(join(tmpdir(), 'calibron-demo-worker-'));
  const interpreter = await pythonForPackage(version);
  const command = ['node', '--import', 'tsx', demoInstrument].join(' ');
  const check = async (seconds: string, ...only: string[]) => {
    const words = [
      '-m',
      'calibron.command.main',
      'backend',
      'check',
      '--command',
      command,
      '--task',
      'CheckT1',
    ];
    const selected = only.flatMap((each) => ['--only', each]);
    const { stdout } = await run(interpreter, [...words, ...selected], {
      env: {
        ...process.env,
        PYTHONPATH: join(pythonFolder, 'src'),
        DATA_DIR: directory,
        SIMULATOR_SECONDS: seconds,
      },
    });
    return stdout;
  };
  try {
    // Its instrument takes the time that it is told, whatever the shots.
    const quick = [
      'heartbeat',
      'repeated',
      'pass',
      'know',
      'unknown',
      'later run',
      'waited',
      'wait for',
      'outage',
    ];
    expect(await check('0', ...quick)).toContain('Nothing to fix.');
    const slow = await check('9', 'cancelled', 'cut off', 'asked to stop', 'killed');
    expect(slow).toContain('✓ stops its instrument when it is cut off');
    expect(slow).toContain('Nothing to fix.');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
