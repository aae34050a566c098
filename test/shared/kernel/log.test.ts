import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createLog } from '../../../shared/kernel/log.ts';
import { createLogOutput } from '../../../shared/kernel/log-output.ts';
import { packageRoot } from '../../../shared/kernel/package-root.ts';

test('secrets never reach the log', () => {
  let text = '';
  const log = createLog(
    'test',
    'info',
    new Writable({
      write: (chunk, _encoding, done) => {
        text += chunk;
        done();
      },
    }),
  );
  log.info(
    { password: 'hunter2', request: { authorization: 'Bearer abc', body: { token: 'xyz' } } },
    'hello',
  );
  expect(text).toContain('hello');
  for (const secret of ['hunter2', 'Bearer abc', 'xyz']) expect(text).not.toContain(secret);
});

/** A file of so many bytes. With `space`, more fit. */
function smallDisk(bytes: number) {
  let content = '';
  return {
    content: () => content,
    lines: () => content.split('\n').slice(0, -1),
    addSpace(more: number) {
      bytes += more;
    },
    write(_descriptor: number, chunk: Uint8Array, from: number, length: number) {
      const room = Math.min(length, bytes - content.length);
      if (room === 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      content += Buffer.from(chunk).toString('utf8', from, from + room);
      return room;
    },
  };
}

test('lines that do not fit on the disk are dropped, and counted once there is space', () => {
  const disk = smallDisk(14);
  const output = createLogOutput(1, disk.write);
  for (const line of ['first\n', 'second\n', 'third\n', 'fourth\n']) output.write(line);
  // Part of a line fits: the next one that fits begins on a line of its own.
  expect(disk.content()).toBe('first\nsecond\nt');
  disk.addSpace(1000);
  output.write('fifth\n');
  output.write('sixth\n');
  const [first, second, part, gap, ...rest] = disk.lines();
  expect([first, second, part, rest]).toEqual(['first', 'second', 't', ['fifth', 'sixth']]);
  expect(JSON.parse(gap ?? '')).toMatchObject({ level: 40, missing_lines: 2, reason: 'ENOSPC' });
});

test('a pipe whose reader is behind is waited for, but not for ever', () => {
  let failures = 3;
  let calls = 0;
  let content = '';
  const output = createLogOutput(1, (_: number, chunk: Uint8Array, from: number, length: number) => {
    calls += 1;
    if (failures > 0) {
      failures -= 1;
      throw Object.assign(new Error('EAGAIN'), { code: 'EAGAIN' });
    }
    content += Buffer.from(chunk).toString('utf8', from, from + length);
    return length;
  });
  output.write('waited\n');
  expect(content).toBe('waited\n');
  failures = 1000;
  calls = 0;
  for (let line = 0; line < 100; line += 1) output.write('dropped\n');
  // Only the first line is worth waiting for.
  expect(calls).toBeLessThan(150);
  failures = 0;
  output.write('again\n');
  expect(content).toMatch(/^waited\n\{.*"missing_lines":100.*\}\nagain\n$/);
});

test('a process whose log is on a full disk goes on', async () => {
  const program = `
    const { createLog } = await import('./shared/kernel/log.ts');
    const log = createLog('test', 'info');
    for (let line = 0; line < 1000; line++) log.info('a line');
    console.log('other code writes too');
    console.error('and there');
    setTimeout(() => process.exit(7), 50);
  `;
  const full = await open('/dev/full', 'w');
  try {
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
      cwd: fileURLToPath(packageRoot),
      stdio: ['ignore', full.fd, full.fd],
    });
    expect(await once(child, 'exit')).toEqual([7, null]);
  } finally {
    await full.close();
  }
});
