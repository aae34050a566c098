import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { buildProgress, buildTemporal } from '../../../scripts/engines/builders.ts';

test('a build tells how far it is, and how long it takes at most', () => {
  expect(buildProgress(10, 0)).toBe('10 s, 0 of at most 1300 packages');
  expect(buildProgress(60.4, 260)).toBe('60 s, 260 of at most 1300 packages, 5 min left at most');
  expect(buildProgress(150, 650)).toBe('150 s, 650 of at most 1300 packages, 3 min left at most');
  expect(buildProgress(290, 1299)).toBe('290 s, 1299 of at most 1300 packages, nearly done');
  expect(buildProgress(300, 1400)).toBe('300 s, 1300 of at most 1300 packages, nearly done');
});

test.each([
  ['which can be written to', tmpdir(), ''],
  ['which does not exist', '/dev/null/home', '/cache/packages/go'],
])('Go keeps its packages somewhere writable, given a home directory %s', async (_, home, expected) => {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-go-'));
  const program = `#!/bin/sh\necho "$GOPATH" > ${directory}/path\n`;
  await writeFile(join(directory, 'go'), program, { mode: 0o755 });
  vi.stubEnv('PATH', `${directory}:${process.env['PATH']}`);
  vi.stubEnv('HOME', home);
  vi.stubEnv('GOPATH', undefined);
  vi.stubEnv('CALIBRON_CACHE', '/cache');
  try {
    await buildTemporal('1.0.0', directory, () => {});
    expect((await readFile(join(directory, 'path'), 'utf8')).trim()).toBe(expected);
  } finally {
    vi.unstubAllEnvs();
    await rm(directory, { recursive: true });
  }
});
