import { hostname } from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import { mayRun, workerIdentity } from '../../workers/identity.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

function failWith(code: string): void {
  vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error(code), { code });
  });
}

test('this process may run, and one whose pid is free does not', () => {
  expect(mayRun(workerIdentity)).toBe(true);
  expect(mayRun(`${2 ** 22 + 1}@${hostname()}`)).toBe(false);
});

test('a process of another user, which may not be signalled, runs', () => {
  failWith('EPERM');
  expect(mayRun(`77@${hostname()}`)).toBe(true);
});

test('a process of another machine, or an identity of another form, may run', () => {
  failWith('ESRCH');
  expect(mayRun('77@elsewhere')).toBe(true);
  expect(mayRun('a worker in Python')).toBe(true);
  expect(mayRun(`77@${hostname()}`)).toBe(false);
});
