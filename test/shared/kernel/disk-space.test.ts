import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDiskSpace, type DiskCalls, type RoomLeft } from '../../../shared/kernel/disk-space.ts';

const MIB = 1024 * 1024;
const plenty = { freeBytes: 100 * MIB, totalBytes: 1000 * MIB, freeInodes: 5000, totalInodes: 9000 };

/** A disk in a state that a test changes, looked at at a time that it sets. */
function watched() {
  const state = { room: plenty as RoomLeft | Error, probe: null as string | null, now: 0, looks: 0 };
  const calls: DiskCalls = {
    async room() {
      state.looks += 1;
      if (state.room instanceof Error) throw state.room;
      return state.room;
    },
    async probe() {
      if (state.probe !== null) throw new Error(state.probe);
    },
  };
  const space = createDiskSpace({
    directories: async () => [{ path: '/data', title: 'figures and raw data' }],
    reserveBytes: 10 * MIB,
    calls,
    now: () => state.now,
  });
  return {
    state,
    shortage: () => {
      state.now += 10_000;
      return space.shortage();
    },
    again: space.shortage,
  };
}

test('a disk is short below the reserve of bytes, and of inodes where their number is fixed', async () => {
  const { state, shortage } = watched();
  expect(await shortage()).toBeNull();
  state.room = { ...plenty, freeBytes: 10 * MIB - 1 };
  expect(await shortage()).toBe(
    'the disk of figures and raw data (/data) has 9 MiB left, and a measurement starts with 10 MiB (DISK_RESERVE_MIB)',
  );
  state.room = { ...plenty, freeInodes: 499 };
  expect(await shortage()).toMatch(/has room for 499 more files/);
  state.room = { ...plenty, freeInodes: 0, totalInodes: 0 };
  expect(await shortage()).toBeNull();
});

test.each([
  ['ENOSPC: no space left on device, write', 'is full'],
  ['EDQUOT: unknown error, write', 'has reached its quota'],
  ["EROFS: read-only file system, open '/data/x'", 'is read-only'],
  ["EACCES: permission denied, open '/data/x'", null],
])('a small file that cannot be written with %s says that the disk %s', async (error, problem) => {
  const { state, shortage } = watched();
  state.probe = error;
  expect(await shortage()).toBe(problem && `the disk of figures and raw data (/data) ${problem}`);
});

test('a directory that is missing is no shortage', async () => {
  const { state, shortage } = watched();
  state.room = new Error('ENOENT');
  expect(await shortage()).toBeNull();
});

test('the disk is looked at once for all that ask within two seconds', async () => {
  const { state, shortage, again } = watched();
  await Promise.all([shortage(), again(), again()]);
  state.now += 1999;
  await again();
  expect(state.looks).toBe(1);
  state.now += 1;
  await again();
  expect(state.looks).toBe(2);
});

test('the look at a real directory leaves no file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-space-'));
  try {
    const directories = async () => [{ path: directory, title: 'figures and raw data' }];
    expect(await createDiskSpace({ directories, reserveBytes: 1 }).shortage()).toBeNull();
    expect(await createDiskSpace({ directories, reserveBytes: Number.MAX_SAFE_INTEGER }).shortage()).toMatch(
      /MiB left/,
    );
    expect(await readdir(directory)).toEqual([]);
  } finally {
    await rm(directory, { recursive: true });
  }
});
