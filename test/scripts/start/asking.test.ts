import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compiledFrom } from '../../../scripts/compiled.mjs';
import { readArguments } from '../../../scripts/start/arguments.ts';
import { settingsSchema } from '../../../shared/domain/settings.ts';
import { packageRoot } from '../../../shared/kernel/package-root.ts';
import { launch, processesNaming } from '../../support/launching.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-asking-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test('explains flags, settings, stopping and resetting with --help, and starts nothing', async () => {
  const help = launch(['--help'], { DATA_DIR: directory });
  expect(await help.ended).toBe(0);
  const text = help.output();
  for (const word of [
    '--no-demo',
    '--stop',
    'Ctrl-C',
    'rm -rf .data',
    ...Object.keys(settingsSchema.shape),
  ]) {
    expect(text).toContain(word);
  }
  expect(processesNaming(directory)).toEqual([]);
});

test('answers from its sources where nothing is compiled yet', async () => {
  const tree = join(directory, 'tree');
  for (const part of [...compiledFrom.folders, ...compiledFrom.files]) {
    await cp(new URL(part, packageRoot), join(tree, part), { recursive: true });
  }
  await symlink(new URL('node_modules', packageRoot), join(tree, 'node_modules'));
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(tree, 'scripts', 'start.mjs'),
    '--help',
  ]);
  expect(stdout).toContain('rm -rf .data');
  expect(await readdir(tree)).not.toContain('dist');
});

test('refuses a flag that it does not know, naming it, with exit code 2', async () => {
  const wrong = launch(['--nodemo'], { DATA_DIR: directory });
  expect(await wrong.ended).toBe(2);
  expect(wrong.output()).toBe('npm start does not know --nodemo; npm start -- --help lists what it knows.\n');
});

test('names each wrong setting in a message, without its value, and starts nothing', async () => {
  const wrong = launch([], {
    DATA_DIR: directory,
    TIMEZONE: 'Moon/Tranquility',
    MONGODB_URI: 'postgres://secret',
    ADMIN_PASSWORD: 'short',
  });
  expect(await wrong.ended).toBe(1);
  expect(wrong.output().trim().split('\n')).toEqual([
    'The setting TIMEZONE is wrong: must be an IANA time zone such as Asia/Tokyo.',
    'The setting MONGODB_URI is wrong: must begin with mongodb:// or mongodb+srv://.',
    'The setting ADMIN_PASSWORD is wrong: must have at least 8 characters and at most 72 bytes.',
  ]);
  expect(processesNaming(directory)).toEqual([]);
});

test('says so when there is nothing to stop', async () => {
  const stop = launch(['--stop'], { DATA_DIR: directory });
  expect(await stop.ended).toBe(0);
  expect(stop.output()).toBe('nothing runs here\n');
});

test('reads its flags in any order', () => {
  expect(readArguments([])).toEqual({ kind: 'start', demo: true, despiteOpenRuns: false });
  expect(readArguments(['--no-demo'])).toEqual({ kind: 'start', demo: false, despiteOpenRuns: false });
  expect(readArguments(['--despite-open-runs', '--no-demo'])).toEqual({
    ...{ kind: 'start', demo: false, despiteOpenRuns: true },
  });
  expect(readArguments(['--no-demo', '--help'])).toEqual({ kind: 'help' });
  expect(readArguments(['--no-demo', '--stop'])).toEqual({ kind: 'stop' });
});
