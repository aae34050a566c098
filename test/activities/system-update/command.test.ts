import { execFileSync, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { runCommand } from '../../../activities/system-update/command.ts';
import { eventually } from '../../support/laboratory.ts';

const node = process.execPath;
const forever = 'console.log(process.pid); setInterval(() => {}, 1000)';

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function run(command: readonly string[], options: { limit?: number; signal?: AbortSignal } = {}) {
  const lines: string[] = [];
  const ended = runCommand(command, {
    directory: tmpdir(),
    environment: { UPDATE_STEP: 'deploying' },
    limit: options.limit ?? 60_000,
    signal: options.signal ?? new AbortController().signal,
    line: (text) => void lines.push(text),
  });
  return { lines, ended };
}

test('a command gets its arguments as they are, and its last lines are kept', async () => {
  const { lines, ended } = run([
    node,
    '-e',
    'console.log(process.argv[1], process.env.UPDATE_STEP); console.error("last"); process.exitCode = 4',
    '$(id); `id` "quoted"',
  ]);
  expect(await ended).toBe('ended with code 4');
  expect(lines.sort()).toEqual(['$(id); `id` "quoted" deploying', 'last']);
});

test('a command that succeeds reports nothing more, and a missing command is reported', async () => {
  expect(await run([node, '-e', '']).ended).toBeNull();
  const missing = run(['/nowhere/program']);
  expect(await missing.ended).toBe('ended with code 127');
  expect(missing.lines.join()).toContain('ENOENT');
});

test('one that takes too long is ended with all that it started', async () => {
  const starts = `const { spawn } = require('node:child_process');
    spawn(process.execPath, ['-e', ${JSON.stringify(forever)}], { stdio: 'inherit' }); setInterval(() => {}, 1000)`;
  const { lines, ended } = run([node, '-e', starts], { limit: 2000 });
  expect(await ended).toBe('was not done after 2 s');
  for (const pid of lines.map(Number)) await eventually(async () => !isAlive(pid));
  expect(lines).toHaveLength(1);
});

test('one whose updater is stopping is ended', async () => {
  const stopping = new AbortController();
  const { lines, ended } = run([node, '-e', forever], { signal: stopping.signal });
  await eventually(async () => lines.length > 0);
  stopping.abort();
  expect(await ended).not.toBeNull();
  await eventually(async () => !isAlive(Number(lines[0])));
});

test('one whose updater is killed does not outlive it', async () => {
  const file = new URL('../../../activities/system-update/command.ts', import.meta.url).href;
  const updater = spawn(
    node,
    [
      '--import',
      'tsx',
      '--input-type=module',
      '-e',
      `const { runCommand } = await import(${JSON.stringify(file)});
       await runCommand([process.execPath, '-e', ${JSON.stringify(forever)}], {
         directory: '.', environment: {}, limit: 600000, signal: new AbortController().signal, line: console.log });`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let said = '';
  updater.stdout.on('data', (part) => {
    said += String(part);
  });
  await eventually(async () => said.includes('\n'));
  const pid = Number(said.trim());
  expect(execFileSync('ps', ['-o', 'pid=', '-p', String(pid)], { encoding: 'utf8' }).trim()).toBe(
    String(pid),
  );
  updater.kill('SIGKILL');
  await eventually(async () => !isAlive(pid));
});
